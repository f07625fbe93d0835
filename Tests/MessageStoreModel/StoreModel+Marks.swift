package import MessageStore

extension StoreModel {
    /// The mark of a message, by the server's id or, while there is none, by the local one.
    struct MarkKey: Hashable, Sendable {
        let conversation: ConversationKey
        let message: MessageReference
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

    mutating func applyMark(_ event: Event, _ key: ConversationKey, _ recorded: Moment) {
        switch event.payload {
        case let body as MessagePinned:
            mark(body.message, key, isStar: false, body.isPinned, body.actor, body.time, recorded)
        case let body as MessageStarred:
            mark(body.message, key, isStar: true, body.isStarred, nil, body.time, recorded)
        case let body as MessageSent:
            renameMarks(of: .local(body.message), key)
            renameMarks(of: .server(body.serverID), key)
        case let body as MessageDuplicateSuppressed: renameMarks(of: .server(body.serverID), key)
        default: break
        }
    }

    private mutating func mark(
        _ reference: MessageReference, _ key: ConversationKey, isStar: Bool, _ isSet: Bool, _ actor: UserID?,
        _ time: Timestamp?, _ recorded: Moment
    ) {
        for name in names(for: reference, in: key) {
            let markKey = MarkKey(conversation: key, message: name, isStar: isStar)
            let known = marks[markKey]
            // What has no time was chosen when it was recorded, and takes effect.
            let chosen =
                time.map { min($0.milliseconds, recorded.ofChoice.milliseconds + 24 * 60 * 60 * 1000) }
                ?? recorded.clock.milliseconds
            let choice = MarkChoice(time: chosen, isSet: isSet, actor: actor, position: log.count)
            if time != nil, let known, known.isLater(than: choice) { continue }
            marks[markKey] = choice
        }
    }

    /// The one name of a message.
    func name(of entry: MessageEntry) -> MessageReference {
        entry.serverID.map { .server($0) } ?? .local(LocalMessageID(entry.local))
    }

    /// What was chosen under a name is chosen for the message that it names, and for the one that this repeats.
    private mutating func renameMarks(of named: MessageReference, _ key: ConversationKey) {
        let names = names(for: named, in: key)
        guard !names.isEmpty else { return }
        for isStar in [false, true] {
            let old = MarkKey(conversation: key, message: named, isStar: isStar)
            guard let choice = marks[old] else { continue }
            if !names.contains(named) { marks[old] = nil }
            for name in names {
                let markKey = MarkKey(conversation: key, message: name, isStar: isStar)
                if let known = marks[markKey], !choice.isLater(than: known) { continue }
                marks[markKey] = choice
            }
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
