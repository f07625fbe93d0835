internal import MessageStore

extension StoreModel {
    /// An event that tells something beside a message, by the server id that its message had then.
    struct DetailFact: Sendable {
        let position: UInt64
        let payload: any EventPayload
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
        default: break
        }
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
