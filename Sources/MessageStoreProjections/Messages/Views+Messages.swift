@_spi(Storage) package import MessageStoreLog

extension Views {
    /// The state row of a message, if later events made one.
    borrowing func state(of local: LocalMessageID) throws -> MessageState? {
        try decoded(.messageStates, at: local.rawValue)
    }

    /// Whether a message is this account's own; nil where the conversation has no such message.
    borrowing func isOutgoing(_ local: LocalMessageID, in conversation: UInt32) throws -> Bool? {
        guard let record = try log.record(at: Position(local.rawValue)), record.conversation == conversation,
            record.type.isMessage
        else { return nil }
        return record.flags.contains(.isOutgoing) && record.type != .messageInsertedLocally
    }

    /// Whether the conversation has this message.
    borrowing func isMessage(_ local: LocalMessageID, in conversation: UInt32) throws -> Bool {
        try isOutgoing(local, in: conversation) != nil
    }

    /// The flags that a message of its type can have (D11, D12).
    borrowing func possibleFlags(of local: LocalMessageID) throws -> MessageFlags {
        guard let record = try log.record(at: Position(local.rawValue)) else { return [] }
        return try possibleFlags(of: record)
    }

    borrowing func possibleFlags(of record: RecordView) throws -> MessageFlags {
        try symbols.contentType(record.contentType).possibleFlags
    }

    /// The verdict in force on a message: the filter's last, else what its visibility list says.
    package borrowing func verdict(on local: LocalMessageID) throws -> FilterVerdict {
        guard let record = try log.record(at: Position(local.rawValue)) else { return .keep }
        let state = try state(of: local) ?? MessageState()
        switch state.verdict {
        case .none: return record.flags.contains(.isDirectedAtOthers) ? .hide : .keep
        case .keep: return .keep
        case .hide: return .hide
        case .replace:
            let verdict = try self.record(at: Position(state.verdictPosition), namedBy: .messageStates)
            return .replace(try RecordDecoder(symbols: symbols).group(MessageContent.self, of: verdict))
        }
    }

    /// What was told of a message before it arrived.
    borrowing func parkedState(_ key: [UInt8]) throws -> MessageState? {
        try decoded(.parkedStates, key.span.bytes)
    }

    mutating func setState(_ state: MessageState, of local: LocalMessageID) {
        put(.messageStates, RowKey.number(local.rawValue).span.bytes, state.bytes.span.bytes)
    }

    /// The position of the event that claims `identity`, or nil (I4). A hit is verified against the record.
    package borrowing func position(of identity: Identity) throws -> Position? {
        try position(of: identity, key: identity.key)
    }

    /// The same for an identity whose key is at hand.
    borrowing func position(of identity: Identity, key: IdentityKey) throws -> Position? {
        var bytes = ByteWriter(capacity: 16)
        key.write(to: &bytes)
        guard let row: NumberRow = try decoded(.identities, bytes.bytes) else { return nil }
        return try message(at: Position(row.number), claiming: identity)
    }

    /// Enters `identity`. The appender has seen that it is new, except where an acknowledgement takes it over.
    mutating func claim(_ identity: Identity, for position: Position) {
        active.setIdentity(identity.key, position)
    }

    /// Whether a message was queued in a conversation and no server has acknowledged it.
    borrowing func isUnacknowledged(_ local: LocalMessageID, in conversation: UInt32) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)), record.type == .messageSendQueued,
            record.conversation == conversation
        else { return false }
        return try state(of: local)?.serverID.isEmpty ?? true
    }

    /// The event that `identity` names by the record at `position`: itself, or the message that it repeats.
    private borrowing func message(at position: Position, claiming identity: Identity) throws -> Position? {
        guard let record = try log.record(at: position) else { return nil }
        if record.claims(identity) { return position }
        guard identity.kind == .serverID, record.conversation == identity.scope else { return nil }
        switch record.type {
        case .messageSendQueued:
            let acknowledged = try state(of: LocalMessageID(position.rawValue))?.serverID ?? []
            return acknowledged.span.bytes.isEqual(to: identity.bytes) ? position : nil
        case .messageDuplicateSuppressed:
            return record.serverID.isEqual(to: identity.bytes)
                ? record.renamedMessage.map { Position($0.rawValue) } : nil
        default: return nil
        }
    }

    /// Whether the server gave the message this id itself, rather than one that was found to name it too.
    borrowing func hasServerID(_ serverID: RawSpan, _ local: LocalMessageID) throws -> Bool {
        if let acknowledged = try state(of: local)?.serverID, !acknowledged.isEmpty {
            return acknowledged.span.bytes.isEqual(to: serverID)
        }
        return try log.record(at: Position(local.rawValue))?.serverID.isEqual(to: serverID) ?? false
    }

    /// The local id of the message that the server calls `serverID`, or nil.
    package borrowing func local(of serverID: RawSpan, in conversation: UInt32) throws -> LocalMessageID? {
        try position(of: Identity(.serverID, scope: conversation, bytes: serverID)).map { LocalMessageID($0.rawValue) }
    }

    /// Calls `body` with the messages of others that are shown in a conversation between two server times, both included.
    borrowing func forEachReceived(
        in conversation: UInt32, from first: Int64, upTo last: Int64, _ body: (RecordView) throws -> Void
    ) throws {
        var start = ByteWriter(capacity: 16)
        start.appendBigEndian(conversation)
        OrderBytes.append(time: Timestamp(milliseconds: max(first, 0)), id: RawSpan(), to: &start)
        var cursor = try rows(.timeline, from: start.bytes)
        while try cursor.next(), cursor.key.loadBigEndian(at: 0, as: UInt32.self) == conversation,
            OrderBytes.time(of: cursor.key.extracting(4..<cursor.key.byteCount)) <= UInt64(clamping: last)
        {
            let row: TimelineRow = try cursor.decoded()
            guard !row.flags.contains(.isOutgoing) else { continue }
            try body(record(at: Position(row.local.rawValue), namedBy: .timeline))
        }
    }

    /// Whether a message has a place in its timeline.
    borrowing func isShown(_ local: LocalMessageID) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)) else { return false }
        return Messages.isShown(record, try state(of: local) ?? MessageState())
    }
}
