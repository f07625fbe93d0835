internal import MessageStore

extension StoreModel {
    /// An event that tells something beside a message, by the server id that its message had then.
    struct DetailFact: Sendable {
        let position: UInt64
        let payload: any EventPayload
    }

    /// A modification or recall that waits for the server.
    struct PendingEntry: Sendable {
        let position: UInt64
        let conversation: ConversationKey
        var message: UInt64
        let kind: PendingChange.Kind
        var failure: Int32?
    }

    mutating func applyDetailEvent(_ event: Event, _ key: ConversationKey, _ position: UInt64) {
        switch event.payload {
        case let body as ReactionAdded: note([body.message], event, key, position)
        case let body as ReactionRemoved: note([body.message], event, key, position)
        case let body as MessageMetadataChanged: note([body.message], event, key, position)
        case let body as ReadReceiptRequested: note(body.messages, event, key, position)
        case let body as ReadReceiptSent:
            if case .messages(let messages) = body.scope { note(messages, event, key, position) }
        case let body as MessageDelivered:
            if case .messages(let messages) = body.scope { note(messages, event, key, position) }
            if case .upTo(let time) = body.scope, let member = body.member { raise(member, key, time, isRead: false) }
        case let body as MessageReadByPeer:
            if case .messages(let messages) = body.scope { note(messages, event, key, position) }
            if case .upTo(let time) = body.scope, let reader = body.reader { raise(reader, key, time, isRead: true) }
        case let body as MessageSnapshotReceived:
            note([body.message], event, key, position)
            if body.content != nil { confirm(.modification, of: body.message, key) }
            if body.isRecalled { confirm(.recall, of: body.message, key) }
        case let body as MessageModified: change(.modification, of: body.message, event, key, position)
        case let body as MessageRecalled: change(.recall, of: body.message, event, key, position)
        case let body as MessageSendFailed: setFailure(body.code, of: body.message, in: key)
        case let body as MessageSendRetried: setFailure(nil, of: body.message, in: key)
        default: break
        }
        for index in pending.indices { pending[index].message = shownMessage(pending[index].message) }
        pending.removeAll { messages[$0.message]?.facts.isDeleted ?? true }
    }

    private mutating func note(
        _ references: [MessageReference], _ event: Event, _ key: ConversationKey, _ position: UInt64
    ) {
        for reference in references {
            guard let id = serverID(of: reference, in: key) else { continue }
            details[ServerKey(conversation: key, id: id), default: []].append(
                DetailFact(position: position, payload: event.payload))
        }
    }

    func serverID(of reference: MessageReference, in key: ConversationKey) -> ServerMessageID? {
        if case .server(let id) = reference { return id }
        return entry(reference, in: key)?.serverID
    }

    private mutating func raise(_ member: UserID, _ key: ConversationKey, _ time: Timestamp, isRead: Bool) {
        change(key) { entry in
            entry.deliveredMarks[member] = max(entry.deliveredMarks[member] ?? time, time)
            if isRead { entry.readMarks[member] = max(entry.readMarks[member] ?? time, time) }
        }
    }

    /// A message, or the one that took its place.
    func shownMessage(_ local: UInt64) -> UInt64 {
        guard let entry = messages[local], let id = entry.serverID else { return local }
        return serverIDs[ServerKey(conversation: entry.conversation, id: id)] ?? local
    }

    private mutating func change(
        _ kind: PendingChange.Kind, of reference: MessageReference, _ event: Event, _ key: ConversationKey,
        _ position: UInt64
    ) {
        guard event.origin == .local else { return confirm(kind, of: reference, key) }
        guard let local = entry(reference, in: key)?.local else { return }
        pending.append(
            PendingEntry(position: position, conversation: key, message: shownMessage(local), kind: kind))
    }

    /// The server told of a change: of a modification the oldest ends that waits, of a recall all.
    private mutating func confirm(_ kind: PendingChange.Kind, of reference: MessageReference, _ key: ConversationKey) {
        guard let local = entry(reference, in: key)?.local else { return }
        let message = shownMessage(local)
        if kind == .recall {
            pending.removeAll { $0.message == message }
        } else if let first = pending.firstIndex(where: { $0.message == message && $0.kind == kind }) {
            pending.remove(at: first)
        }
    }

    private mutating func setFailure(_ code: Int32?, of change: LocalMessageID, in key: ConversationKey) {
        for index in pending.indices
        where pending[index].position == change.rawValue && pending[index].conversation == key {
            if code == nil || pending[index].failure == nil { pending[index].failure = code }
        }
    }
}
