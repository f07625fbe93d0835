internal import MessageStore
internal import MessageStoreWorkload
@_spi(Storage) internal import MessageStoreLog

extension RandomEvents {
    /// What happens beside messages: reactions, pairs, receipts by member, receipts owed, changes that wait.
    mutating func detailEvent(in key: ConversationKey, at position: UInt64) -> Event {
        switch random.nextIndex(19) {
        case 0..<3: reaction(in: key)
        case 3, 4: metadata(in: key)
        case 5: counts(in: key)
        case 6: Event(ReadReceiptRequested(references(in: key)), in: key, origin: .live)
        case 7:
            Event(
                ReadReceiptSent(random.chance(0.3) ? .upTo(time()) : .messages(references(in: key))), in: key,
                origin: .otherDevice)
        case 8..<11: mark(in: key)
        case 13, 14: edit(in: key)
        case 11, 12: Event(ThreadRead(root(), upTo: order()), in: key)
        default: change(in: key, at: position)
        }
    }

    /// A message that is there more often than not, and its conversation.
    mutating func likelyMessage(in key: ConversationKey) -> (MessageReference, ConversationKey) {
        if !queued.isEmpty, random.chance(0.3) {
            let message = queued[random.nextIndex(queued.count)]
            return (.local(LocalMessageID(message.position)), message.conversation)
        }
        if !received.isEmpty, random.chance(0.7) {
            let event = received[random.nextIndex(received.count)]
            if let message = event.payload as? MessageReceived, let key = event.conversation {
                return (.server(message.serverID), key)
            }
        }
        return (reference(in: key), key)
    }

    /// A pin or a star.
    private mutating func mark(in key: ConversationKey) -> Event {
        let (isSet, time) = (random.chance(0.7), maybeTime())
        let (message, key) = likelyMessage(in: key)
        if random.chance(0.5) { return Event(MessageStarred(message, isSet, at: time), in: key) }
        return Event(MessagePinned(message, isSet, by: maybeUser(), at: time), in: key)
    }

    /// One of few messages to reply to, there or not.
    private mutating func root() -> ServerMessageID { ServerMessageID("s\(random.nextIndex(4))") }

    mutating func maybeRoot() -> ServerMessageID? { random.chance(0.25) ? root() : nil }

    private mutating func edit(in key: ConversationKey) -> Event {
        let (message, key) = likelyMessage(in: key)
        return Event(MessageModified(message, content: content(), at: time()), in: key, origin: .live)
    }

    private mutating func reaction(in key: ConversationKey) -> Event {
        let reaction = ["+1", "x", "+"][random.nextIndex(3)]
        if random.chance(0.6) {
            return Event(
                ReactionAdded(reference(in: key), key: reaction, by: user(), at: time()), in: key)
        }
        return Event(
            ReactionRemoved(reference(in: key), key: reaction, by: user(), at: time()), in: key)
    }

    private mutating func metadata(in key: ConversationKey) -> Event {
        var values: [String: String] = [:]
        for _ in 0..<random.nextIndex(3) { values["k\(random.nextIndex(3))"] = "v\(random.nextIndex(9))" }
        let removed = random.chance(0.4) ? ["k\(random.nextIndex(3))"] : []
        let change = MessageMetadataChanged(reference(in: key), set: values, remove: removed, at: time())
        return Event(change, in: key)
    }

    private mutating func counts(in key: ConversationKey) -> Event {
        let counts = ReadCounts(read: UInt32(random.nextIndex(9)), unread: UInt32(random.nextIndex(9)))
        let body = MessageReadByPeer(.messages(references(in: key)), by: maybeUser(), at: time(), counts: counts)
        return Event(body, in: key, origin: .live)
    }

    /// A modification or recall from here or from the server, and how telling the server goes.
    private mutating func change(in key: ConversationKey, at position: UInt64) -> Event {
        if !changes.isEmpty, random.chance(0.5) {
            let status = PendingChangeStatus(rawValue: UInt8(random.nextIndex(4)))
            return Event(PendingChangeUpdated(changes[random.nextIndex(changes.count)], status, code: 9))
        }
        let origin: Origin = random.chance(0.5) ? .local : .live
        if origin == .local { note(change: Position(position)) }
        if random.chance(0.8) {
            let body = MessageModified(reference(in: key), content: content(), at: time())
            return Event(body, in: key, origin: origin)
        }
        return Event(MessageRecalled(reference(in: key)), in: key, origin: origin)
    }

    /// Some of what is done here waits for the server.
    mutating func waiting(_ event: Event, at position: Position) -> Event {
        guard event.origin == .local, !event.type.isMessage, random.chance(0.1) else { return event }
        guard event.type != .pendingChangeUpdated, event.type != .messageSnapshotReceived else { return event }
        note(change: position)
        return event.awaitingServer()
    }

    private mutating func note(change position: Position) {
        changes.append(position)
        if changes.count > 6 { changes.removeFirst(3) }
    }

    mutating func senderProfile() -> SenderProfile? {
        guard random.chance(0.3) else { return nil }
        if random.chance(0.2) { return SenderProfile(name: random.chance(0.5) ? "" : nil, avatarURL: "url") }
        return SenderProfile(name: "then \(random.nextIndex(9))")
    }
}
