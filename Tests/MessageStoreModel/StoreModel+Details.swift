internal import MessageStore

extension StoreModel {
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
        case let body as MessageSent where isAlias(body, key): renameDetails(of: body.serverID, key)
        case let body as MessageDuplicateSuppressed: renameDetails(of: body.serverID, key)
        default: break
        }
    }

    private mutating func note(
        _ references: [MessageReference], _ event: Event, _ key: ConversationKey, _ position: UInt64
    ) {
        for reference in references {
            for id in detailIDs(of: reference, in: key) {
                details[ServerKey(conversation: key, id: id), default: []].append(
                    .event(position: position, payload: event.payload))
            }
        }
    }

    /// The id by which the server calls a message now.
    func serverID(of reference: MessageReference, in key: ConversationKey) -> ServerMessageID? {
        if let known = entry(reference, in: key)?.serverID { return known }
        if case .server(let id) = reference { return id }
        return nil
    }

    /// The ids of the messages to which belongs what is recorded of one: its own, and last that of what it repeats.
    func detailIDs(of reference: MessageReference, in key: ConversationKey) -> [ServerMessageID] {
        var ids = serverID(of: reference, in: key).map { [$0] } ?? []
        if let entry = entry(reference, in: key), let original = entry.duplicateOf, original < entry.local,
            let id = self.entry(.local(LocalMessageID(original)), in: key)?.serverID
        {
            ids.append(id)
        }
        return ids
    }

    /// What was recorded under an id is of the message that it names, and of what that repeats.
    private mutating func renameDetails(of named: ServerMessageID, _ key: ConversationKey) {
        let ids = Set(detailIDs(of: .server(named), in: key))
        let old = ServerKey(conversation: key, id: named)
        guard ids != [named], let told = details[old] else { return }
        for id in ids where id != named {
            details[ServerKey(conversation: key, id: id), default: []].append(.joined(told))
        }
        if !ids.contains(named) { details[old] = nil }
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
