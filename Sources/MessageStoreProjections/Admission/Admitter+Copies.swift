@_spi(Storage) internal import MessageStoreLog

extension Admitter {
    /// Whether the appended record is a message of this account.
    var appendedIsOwn: Bool { writer.appended?.flags.contains(.isOutgoing) ?? false }

    /// Whether the appended record is a message that arrived with flags.
    var appendedHasFlags: Bool {
        guard let record = writer.appended, record.type == .messageReceived else { return false }
        return record[MessageReceived.Fields.flags] != nil
    }

    /// Notes what an event tells of a message that a copy in the same batch could tell again.
    mutating func noteTold(_ event: Event) throws {
        let (messages, flags, tellsTime): ([MessageReference], MessageFlags, Bool)
        switch event.payload {
        case let set as MessageStatusFlagsSet: (messages, flags, tellsTime) = (set.messages, set.flags, false)
        case let told as MessageSnapshotReceived:
            (messages, flags, tellsTime) = ([told.message], told.flags ?? [], told.sentTime ?? .unknown != .unknown)
        default: return
        }
        guard let conversation = writer.appended?.conversationNumber else { return }
        for message in messages {
            guard let position = try position(of: message, in: conversation) else {
                if tellsTime, case .server(let id) = message { timedAhead.insert(Self.key(of: id, in: conversation)) }
                continue
            }
            flagged[position, default: []].formUnion(flags)
            if tellsTime { timed.insert(position) }
        }
    }

    private static func key(of id: ServerMessageID, in conversation: ConversationNumber) -> IdentityKey {
        let bytes = Array(id.rawValue.utf8)
        return Identity(.serverID, scope: conversation.rawValue, bytes: bytes.span.bytes).key
    }

    /// Whether the server's time of a message was told under its server id before its acknowledgement.
    borrowing func isTimeTold(
        of id: Identity, _ key: IdentityKey, _ conversation: ConversationNumber
    ) throws -> Bool {
        if timedAhead.contains(key) || own.number(of: key) != nil { return true }
        if try recorded(id, key) != nil { return true }
        let row = RowKey.serverID(id.bytes, in: conversation)
        return try views.ask { try $0.parkedState(row) }.map { $0.serverTime != 0 } ?? false
    }

    private borrowing func position(
        of message: MessageReference, in conversation: ConversationNumber
    ) throws -> Position? {
        switch message {
        case .local(let local): return Position(local.rawValue)
        case .server(let id):
            let bytes = Array(id.rawValue.utf8)
            let identity = Identity(.serverID, scope: conversation.rawValue, bytes: bytes.span.bytes)
            let key = identity.key
            if let number = own.number(of: key),
                let position = writer.batch[ownIndices[number]]?.message(claiming: identity)
            {
                return position
            }
            return try recorded(identity, key)
        }
    }

    /// A copy of a known message may tell the server's time, which its acknowledgement lacked, and flags.
    mutating func learn(
        from copy: MessageReceived, isOwn: Bool, _ event: Event, _ position: Position
    ) throws {
        var news = MessageSnapshotReceived(.local(LocalMessageID(position.rawValue)))
        if isOwn, copy.sentTime != .unknown, try lacksTime(position) {
            news.sentTime = copy.sentTime
            timed.insert(position)
        }
        if let flags = copy.flags?.intersection(copy.content.type.possibleFlags) {
            let unknown = try flags.subtracting(settledFlags(of: position, among: flags))
            if !unknown.isEmpty { news.flags = unknown }
            flagged[position, default: []].formUnion(unknown)
        }
        guard !news.isEmpty else { return }
        try writer.append(Event(news, in: event.conversation, origin: event.origin, device: event.device))
        keep()
    }

    /// Whether the server has not told the time of a message that it acknowledged.
    private borrowing func lacksTime(_ position: Position) throws -> Bool {
        if timed.contains(position) { return false }
        if untimed.contains(position) { return true }
        guard position < writer.batch.firstPosition else { return false }
        return try views.ask { views throws in
            try views.messageState(of: LocalMessageID(position.rawValue))?.flags.contains(.isTimeProvisional) ?? false
        }
    }

    /// The flags of which a copy can tell nothing new: those that the message has, and those that its type cannot have.
    private borrowing func settledFlags(of position: Position, among flags: MessageFlags) throws -> MessageFlags {
        let told = flagged[position] ?? []
        guard position >= writer.batch.firstPosition else {
            let local = LocalMessageID(position.rawValue)
            return try views.ask { views throws in
                let possible = try views.possibleFlags(of: local)
                return told.union(try views.messageState(of: local)?.userFlags ?? []).union(flags.subtracting(possible))
            }
        }
        guard let record = writer.batch[position], record.type == .messageReceived else { return told }
        return told.union(record[MessageReceived.Fields.flags] ?? [])
    }
}
