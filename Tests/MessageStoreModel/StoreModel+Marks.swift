package import MessageStore

extension StoreModel {
    /// The mark of a message, by the server's id or, while there is none, by the local one.
    struct MarkKey: Hashable, Sendable {
        let conversation: ConversationKey
        var message: MessageReference
        let isStar: Bool
    }

    /// The last choice that took effect.
    struct MarkChoice: Sendable {
        let time: Int64
        let isSet: Bool
        let actor: UserID?
        let position: Int

        func isLater(than other: MarkChoice) -> Bool {
            if time != other.time { return time > other.time }
            return isSet == other.isSet ? position > other.position : isSet
        }
    }

    mutating func applyMark(_ event: Event, _ key: ConversationKey, _ recorded: Timestamp) {
        switch event.payload {
        case let body as MessagePinned:
            mark(body.message, key, isStar: false, body.isPinned, body.actor, body.time, recorded)
        case let body as MessageStarred:
            mark(body.message, key, isStar: true, body.isStarred, nil, body.time, recorded)
        case let body as MessageSent:
            renameMarks(of: .local(body.message), key)
            guard isAlias(body, key) else { return }
            renameMarks(of: .server(body.serverID), key)
            shareMarks(of: .server(body.serverID), key)
        case let body as MessageDuplicateSuppressed:
            renameMarks(of: .server(body.serverID), key)
            shareMarks(of: .server(body.serverID), key)
        default: break
        }
    }

    /// Whether an acknowledgement gave a message a second name.
    func isAlias(_ sent: MessageSent, _ key: ConversationKey) -> Bool {
        entry(.local(sent.message), in: key).map { name(of: $0) != .server(sent.serverID) } ?? false
    }

    private mutating func mark(
        _ reference: MessageReference, _ key: ConversationKey, isStar: Bool, _ isSet: Bool, _ actor: UserID?,
        _ time: Timestamp?, _ recorded: Timestamp
    ) {
        var names: Set<MessageReference> = []
        if let entry = entry(reference, in: key) {
            names.insert(name(of: entry))
            if let original = entry.duplicateOf, original < entry.local,
                let entry = self.entry(.local(LocalMessageID(original)), in: key)
            {
                names.insert(name(of: entry))
            }
        } else if case .server = reference {
            names.insert(reference)
        }
        for name in names {
            let markKey = MarkKey(conversation: key, message: name, isStar: isStar)
            let known = marks[markKey]
            // What has no time was chosen when it was recorded, and takes effect.
            let chosen =
                time.map { min($0.milliseconds, recorded.milliseconds + 24 * 60 * 60 * 1000) }
                ?? recorded.milliseconds
            let choice = MarkChoice(time: chosen, isSet: isSet, actor: actor, position: log.count)
            if time != nil, let known, known.isLater(than: choice) { continue }
            marks[markKey] = choice
        }
    }

    /// The one name of a message; the server's id of an echo that a queued message replaced is that message's.
    func name(of entry: MessageEntry) -> MessageReference {
        guard let id = entry.serverID, !entry.isReplaced else { return .local(LocalMessageID(entry.local)) }
        return .server(id)
    }

    private mutating func renameMarks(of name: MessageReference, _ key: ConversationKey) {
        guard let entry = entry(name, in: key) else { return }
        let current = self.name(of: entry)
        guard current != name else { return }
        for isStar in [false, true] {
            var markKey = MarkKey(conversation: key, message: name, isStar: isStar)
            guard let choice = marks.removeValue(forKey: markKey) else { continue }
            markKey.message = current
            if let known = marks[markKey], !choice.isLater(than: known) { continue }
            marks[markKey] = choice
        }
    }

    /// What was chosen for a message that turned out to repeat another is chosen for that one.
    private mutating func shareMarks(of name: MessageReference, _ key: ConversationKey) {
        guard let entry = entry(name, in: key), let number = entry.duplicateOf, number < entry.local,
            let original = self.entry(.local(LocalMessageID(number)), in: key)
        else { return }
        for isStar in [false, true] {
            var markKey = MarkKey(conversation: key, message: self.name(of: entry), isStar: isStar)
            guard let choice = marks[markKey] else { continue }
            markKey.message = self.name(of: original)
            if let known = marks[markKey], !choice.isLater(than: known) { continue }
            marks[markKey] = choice
        }
    }

    /// The pinned messages of a conversation, the last one first.
    package func pinnedMessages(in key: ConversationKey) -> [MarkedMessage] {
        markedMessages { !$0.isStar && $0.conversation == key }
    }

    /// The starred messages of a conversation or of all, the last one first.
    package func starredMessages(in key: ConversationKey?) -> [MarkedMessage] {
        markedMessages { $0.isStar && (key == nil || $0.conversation == key) }
    }

    private func markedMessages(where isWanted: (MarkKey) -> Bool) -> [MarkedMessage] {
        marks.filter { isWanted($0.key) && $0.value.isSet }.sorted { first, second in
            let times = (first.value.time, second.value.time)
            guard times.0 == times.1 else { return times.0 > times.1 }
            return place(of: first.key.message, in: first.key.conversation)
                .lexicographicallyPrecedes(place(of: second.key.message, in: second.key.conversation))
        }.compactMap { key, choice in
            guard let entry = entry(key.message, in: key.conversation), isVisible(entry),
                key.isStar || !entry.facts.isRecalled
            else { return nil }
            return MarkedMessage(
                message: shown(entry), time: Timestamp(milliseconds: choice.time), actor: choice.actor)
        }
    }

    /// Of one time: in the order of the conversations' numbers, then server ids by their bytes, then local ids.
    func place(of message: MessageReference, in key: ConversationKey) -> [UInt64] {
        let number = UInt64(conversations[key]?.number ?? 0)
        return switch message {
        case .server(let id): [number, 0] + id.rawValue.utf8.map { UInt64($0) }
        case .local(let local): [number, 1, local.rawValue]
        }
    }
}
