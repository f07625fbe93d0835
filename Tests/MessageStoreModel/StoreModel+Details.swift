internal import MessageStore

extension StoreModel {
    /// A message by its one name: the server's id or, while there is none, the local one.
    struct NameKey: Hashable, Sendable {
        let conversation: ConversationKey
        let message: MessageReference
    }

    /// What was recorded of a message, in the order in which it became the message's.
    indirect enum DetailFact: Sendable {
        case event(position: UInt64, payload: any EventPayload)
        /// What was recorded under another id.
        case joined([DetailFact])
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
        case let body as MessageSent:
            renameDetails(of: .local(body.message), key)
            renameDetails(of: .server(body.serverID), key)
        case let body as MessageDuplicateSuppressed: renameDetails(of: .server(body.serverID), key)
        default: break
        }
    }

    private mutating func note(
        _ references: [MessageReference], _ event: Event, _ key: ConversationKey, _ position: UInt64
    ) {
        for reference in references {
            for name in names(for: reference, in: key) {
                details[NameKey(conversation: key, message: name), default: []].append(
                    .event(position: position, payload: event.payload))
            }
        }
    }

    /// The names of the messages to which belongs what is recorded of one: its own, and last that of what it repeats.
    func names(for reference: MessageReference, in key: ConversationKey) -> [MessageReference] {
        guard let entry = entry(reference, in: key) else {
            if case .server = reference { return [reference] }
            return []
        }
        guard let original = entry.duplicateOf, original < entry.local,
            let first = self.entry(.local(LocalMessageID(original)), in: key)
        else { return [name(of: entry)] }
        return [name(of: entry), name(of: first)]
    }

    /// What was recorded under a name is of the message that it names, and of what that repeats.
    private mutating func renameDetails(of named: MessageReference, _ key: ConversationKey) {
        let names = names(for: named, in: key)
        let old = NameKey(conversation: key, message: named)
        guard !names.isEmpty, names != [named], let told = details[old] else { return }
        for name in names where name != named {
            details[NameKey(conversation: key, message: name), default: []].append(.joined(told))
        }
        if !names.contains(named) { details[old] = nil }
    }

    private mutating func raise(_ member: UserID, _ key: ConversationKey, _ told: Timestamp, isRead: Bool) {
        guard member != account else { return }
        let time = Timestamp(milliseconds: min(told.milliseconds, latestTime))
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
}
