package import MessageStore

extension StoreModel {
    /// Removes what a message, its echoes, its repeats and all that was put in its place said, here and in the log; not
    /// what is said later of one that was cut off, of which nothing is known.
    ///
    /// - Parameter sparesShown: Whether others that share its names keep their words while timelines show them.
    package mutating func redact(_ message: LocalMessageID, sparesShown: Bool = false) {
        guard let named = messages[message.rawValue], !cut.contains(message.rawValue) else { return }
        let same = messages.values.filter { entry in
            let isSpared =
                sparesShown && entry.local != named.local && isVisible(entry) && !entry.facts.isRecalled
            return entry.isSame(as: named) && !isSpared
        }
        let locals = Set(same.map(\.local))
        for local in locals { removeWords(at: local) }
        var positions: Set<UInt64> = []
        for (index, event) in log.enumerated() where event.conversation == named.conversation {
            guard let reference = event.wordsOf, let entry = entry(reference, in: named.conversation),
                locals.contains(entry.local)
            else { continue }
            // What names a message of this store before there is one names none.
            if case .local(let local) = reference, local.rawValue > index { continue }
            positions.insert(UInt64(index + 1))
            removeWords(at: UInt64(index + 1))
        }
        for (local, entry) in messages where entry.conversation == named.conversation {
            messages[local]?.removeWords(positions, own: locals.contains(local))
        }
    }

    /// Removes what the events after a position erase: of messages that are deleted or cleared, also where those come
    /// after it in one commit.
    ///
    /// - Parameter gone: The messages that were hidden before.
    mutating func erase(after last: Int, gone: Set<UInt64>) {
        if erasesHidden { dropLateWords(after: last, gone) }
        for index in log.indices.dropFirst(last) {
            guard let key = log[index].conversation else { continue }
            switch log[index].payload {
            case let body as MessageRecalled where erasesHidden: eraseRecalled(body.message, in: key)
            case let body as MessageSnapshotReceived where erasesHidden && body.isRecalled:
                eraseRecalled(body.message, in: key)
            case let body as MessagesDeleted where body.erases || erasesHidden:
                for message in body.messages {
                    guard let entry = entry(message, in: key) else {
                        eraseUnknown(message, in: key)
                        continue
                    }
                    if entry.facts.isDeleted { redact(LocalMessageID(entry.local), sparesShown: true) }
                }
            case let body as HistoryCleared where body.erases || erasesHidden:
                eraseCleared(
                    in: key,
                    upTo: body.upTo.flatMap {
                        $0.time.milliseconds > latestTime ? nil : Order($0)
                    }, except: named(body.kept, in: key).filter { $0 <= UInt64(index) })
            case let body as ConversationDeleted where body.erases || erasesHidden && body.alsoMessages:
                eraseCleared(in: key, upTo: nil)
            default: break
            }
        }
    }

    /// Whether an event erased messages of a conversation that it cleared.
    package func erasesHistory(of key: ConversationKey) -> Bool {
        log.contains { $0.conversation == key && $0.erases && !($0.payload is MessagesDeleted) }
    }

    private mutating func eraseRecalled(_ message: MessageReference, in key: ConversationKey) {
        guard let entry = entry(message, in: key) else { return eraseUnknown(message, in: key) }
        guard entry.facts.isRecalled || entry.facts.isDeleted else { return }
        redact(LocalMessageID(entry.local), sparesShown: true)
    }

    /// Removes what was said of a message that has not arrived.
    private mutating func eraseUnknown(_ message: MessageReference, in key: ConversationKey) {
        guard case .server = message else { return }
        for (index, event) in log.enumerated() where event.conversation == key && event.wordsOf == message {
            removeWords(at: UInt64(index + 1))
        }
    }

    /// Removes the words of what came after the recall, deletion, clearing or erasure of its message.
    private mutating func dropLateWords(after last: Int, _ gone: Set<UInt64>) {
        for index in log.indices.dropFirst(last) {
            guard let key = log[index].conversation else { continue }
            let position = UInt64(index + 1)
            switch log[index].payload {
            case is MessageReceived, is MessageInsertedLocally: dropIfHidden(position, in: key)
            case let body as MessageSent: dropIfHidden(body.message.rawValue, in: key)
            case let body as MessageDuplicateSuppressed: dropIfHidden(body.duplicateOf?.rawValue ?? 0, in: key)
            default: dropLateEdit(at: position, in: key, gone)
            }
        }
    }

    private mutating func dropIfHidden(_ local: UInt64, in key: ConversationKey) {
        guard let entry = messages[local], entry.conversation == key, isHidden(entry) else { return }
        redact(LocalMessageID(local), sparesShown: true)
    }

    private mutating func dropLateEdit(at position: UInt64, in key: ConversationKey, _ gone: Set<UInt64>) {
        guard let reference = log[Int(position) - 1].wordsOf else { return }
        switch reference {
        case .local(let local):
            if local.rawValue >= position { return }
            // Of what was there nothing is known, not even whether it was a message of the conversation.
            if cut.contains(local.rawValue) { return removeLateWords(at: position) }
        case .server(let id):
            if cutServerIDs[ServerKey(conversation: key, id: id)] != nil { return removeLateWords(at: position) }
        }
        guard let named = entry(reference, in: key), let entry = messages[shownMessage(named.local)] else {
            if case .server(let id) = reference, let facts = parked[ServerKey(conversation: key, id: id)],
                facts.isRecalled || facts.isDeleted
            {
                removeWords(at: position)
            }
            return
        }
        let payload = log[Int(position) - 1].payload
        let isOthers = payload is MessageModified || payload is MessageSnapshotReceived
        // One that is shown by the end of the commit, at another place, may have been hidden then.
        let isKnownToBeGone = cut.contains(named.local) || gone.contains(entry.local) || isHidden(entry)
        guard isKnownToBeGone || isOthers && redacted.contains(entry.local) else { return }
        removeLateWords(at: position)
    }

    private mutating func removeLateWords(at position: UInt64) {
        removeWords(at: position)
        for local in messages.keys { messages[local]?.removeWords([position], own: false) }
    }

    /// Whether a message was recalled, deleted or cleared.
    func isHidden(_ entry: MessageEntry) -> Bool {
        entry.facts.isRecalled || entry.facts.isDeleted || isCleared(entry)
    }

    private mutating func eraseCleared(in key: ConversationKey, upTo: Order?, except kept: Set<UInt64> = []) {
        let cleared = messages.values.filter { entry in
            guard entry.conversation == key, isCleared(entry) else { return false }
            return upTo == nil || !upTo.isBelow(entry.order) && !kept.contains(entry.local)
        }
        for entry in cleared { redact(LocalMessageID(entry.local), sparesShown: true) }
    }

    mutating func removeWords(at position: UInt64) {
        let index = Int(clamping: position) - 1
        guard log.indices.contains(index) else { return }
        redacted.insert(position)
        switch log[index].payload {
        case var body as MessageReceived:
            body.content = MessageContent(type: body.content.type)
            body.context.pushText = nil
            body.senderProfile = nil
            log[index].payload = body
        case var body as MessageSendQueued:
            body.content = MessageContent(type: body.content.type)
            body.context.pushText = nil
            log[index].payload = body
        case var body as MessageModified:
            body.content = MessageContent(type: body.content.type)
            log[index].payload = body
        case var body as MessageSnapshotReceived:
            body.content = body.content.map { MessageContent(type: $0.type) }
            log[index].payload = body
        case var body as MessageInsertedLocally:
            body.content = MessageContent(type: body.content.type)
            log[index].payload = body
        case var body as MessageFiltered:
            guard case .replace(let content) = body.verdict else { return }
            body.verdict = .replace(MessageContent(type: content.type))
            log[index].payload = body
        case var body as AttachmentStateChanged:
            (body.localPath, body.remoteURL) = (nil, nil)
            log[index].payload = body
        default: break
        }
    }
}

extension Event {
    /// Whether the event erases what it hides.
    package var erases: Bool {
        switch payload {
        case let body as MessagesDeleted: body.erases
        case let body as HistoryCleared: body.erases
        case let body as ConversationDeleted: body.erases
        default: false
        }
    }

    /// The message of which the event holds what is shown.
    fileprivate var wordsOf: MessageReference? {
        switch payload {
        case let body as MessageModified: body.message
        case let body as MessageSnapshotReceived: body.message
        case let body as MessageFiltered: body.message
        case let body as AttachmentStateChanged: body.message
        default: nil
        }
    }
}

extension StoreModel.MessageEntry {
    /// Removes its own words, if asked, and those of the events at `positions`.
    fileprivate mutating func removeWords(_ positions: Set<UInt64>, own: Bool) {
        if own { content = MessageContent(type: content.type) }
        facts.modifications = facts.modifications.map { change in
            var change = change
            if positions.contains(change.position) { change.content = MessageContent(type: change.content.type) }
            return change
        }
        if let told = facts.verdict, positions.contains(told.position), case .replace(let content) = told.verdict {
            facts.verdict = (told.position, .replace(MessageContent(type: content.type)))
        }
    }

    /// Whether both are the same message: a message and its echo, which have one server id, or its repeat.
    fileprivate func isSame(as other: Self) -> Bool {
        if local == other.local || duplicateOf == other.local { return true }
        guard let serverID else { return false }
        return conversation == other.conversation && serverID == other.serverID
    }
}
