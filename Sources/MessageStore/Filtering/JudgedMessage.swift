/// A message of somebody else that a filter is to judge, with the content that it has once its event is recorded.
struct JudgedMessage: Sendable {
    /// The index of the event that adds the message or edits it.
    let index: Int
    let conversation: ConversationKey
    let message: MessageReceived
    var isEdit = false
    /// Whether a recorded verdict hides or replaces it.
    var isFiltered = false
}

/// A change of a message's content, by its sender or reported by a server.
struct MessageEdit {
    let message: MessageReference
    let content: MessageContent
    let time: Timestamp
}

extension Event {
    /// The change of a message's content that the event reports.
    var edit: MessageEdit? {
        switch type {
        case .messageModified:
            guard let edit = payload as? MessageModified else { return nil }
            return MessageEdit(message: edit.message, content: edit.content, time: edit.time)
        case .messageSnapshotReceived:
            guard let told = payload as? MessageSnapshotReceived, let content = told.content,
                let time = told.modifiedTime
            else { return nil }
            return MessageEdit(message: told.message, content: content, time: time)
        default: return nil
        }
    }
}

extension MessageStore {
    /// The parts of a batch that a filter judges: messages of others, and edits that change what such a message shows.
    ///
    /// An edit that comes before its message is judged with it.
    func judged(_ events: [Event]) throws -> [JudgedMessage] {
        struct Name: Hashable {
            let conversation: ConversationKey
            let id: ServerMessageID
        }
        return try read { views throws in
            var judged: [JudgedMessage] = []
            var arrived: [Name: MessageReceived] = [:]
            /// The last edits in the batch, and the edits that its messages found.
            var edits: [Name: (content: MessageContent, time: Timestamp)] = [:]
            for (index, event) in events.enumerated() {
                guard let conversation = event.conversation else { continue }
                if var message = event.message(notBy: account) {
                    let name = Name(conversation: conversation, id: message.serverID)
                    if let ahead = try views.contentAhead(of: message.serverID, in: conversation),
                        edits[name].map({ $0.time < ahead.time }) ?? true
                    {
                        edits[name] = ahead
                    }
                    if let edit = edits[name] { message.content = edit.content }
                    arrived[name] = arrived[name] ?? message
                    judged.append(JudgedMessage(index: index, conversation: conversation, message: message))
                } else if let edit = event.edit {
                    let stored = try views.judged(edit.message, in: conversation)
                    var name: Name?
                    if case .server(let id) = edit.message { name = Name(conversation: conversation, id: id) }
                    if let id = stored?.message.serverID { name = Name(conversation: conversation, id: id) }
                    guard let name, stored?.modifiedTime.map({ $0 <= edit.time }) ?? true,
                        edits[name].map({ $0.time <= edit.time }) ?? true
                    else { continue }
                    edits[name] = (edit.content, edit.time)
                    guard var message = stored?.message ?? arrived[name], message.sender != account else { continue }
                    message.content = edit.content
                    judged.append(
                        JudgedMessage(
                            index: index, conversation: conversation, message: message, isEdit: true,
                            isFiltered: stored?.isFiltered ?? false))
                }
            }
            return judged
        }
    }

    /// The messages of a page of the log that a filter judges: those of others, as they are now.
    func judged(_ page: [RecordedEvent]) async throws -> [JudgedMessage] {
        try await read { [account] views throws in
            try page.enumerated().compactMap { index, recorded in
                guard let conversation = recorded.event.conversation, recorded.event.message(notBy: account) != nil,
                    let stored = try views.judged(
                        .local(LocalMessageID(recorded.position.rawValue)), in: conversation)
                else { return nil }
                return JudgedMessage(index: index, conversation: conversation, message: stored.message)
            }
        }
    }
}
