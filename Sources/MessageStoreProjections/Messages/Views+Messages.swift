package import MessageStoreLog

extension Views {
    /// The state row of a message, if later events made one.
    borrowing func state(of local: LocalMessageID) throws -> MessageState? {
        guard let row = try row(.messageStates, RowKey.number(local.rawValue).span.bytes) else { return nil }
        guard let state = MessageState(row) else { throw ViewDamage(table: .messageStates) }
        return state
    }

    /// Whether a message is this account's own; nil where the conversation has no such message.
    borrowing func isOutgoing(_ local: LocalMessageID, in conversation: UInt32) throws -> Bool? {
        guard let record = try log.record(at: Position(local.rawValue)), record.conversation == conversation,
            record.type == .messageReceived || record.type == .messageSendQueued
        else { return nil }
        return record.flags.contains(.isOutgoing)
    }

    /// What was told of a message before it arrived.
    borrowing func parkedState(_ key: [UInt8]) throws -> MessageState? {
        guard let row = try row(.parkedStates, key.span.bytes) else { return nil }
        guard let state = MessageState(row) else { throw ViewDamage(table: .parkedStates) }
        return state
    }

    mutating func setState(_ state: MessageState, of local: LocalMessageID) {
        put(.messageStates, RowKey.number(local.rawValue).span.bytes, state.bytes.span.bytes)
    }

    /// The position of the event that claims `identity`, or nil (I4). A hit is verified against the record.
    package borrowing func position(of identity: Identity) throws -> Position? {
        var key = ByteWriter(capacity: 16)
        identity.key.write(to: &key)
        guard let row = try row(.identities, key.bytes), let number = row.loadBigEndian(at: 0, as: UInt64.self),
            try claims(Position(number), identity)
        else { return nil }
        return Position(number)
    }

    /// Enters `identity`. The appender has seen that it is new, except where an acknowledgement takes it over.
    mutating func claim(_ identity: Identity, for position: Position) {
        scratch.removeAll()
        identity.key.write(to: &scratch)
        scratch.appendBigEndian(position.rawValue)
        let bytes = scratch.bytes.withUnsafeBytes { $0 }
        active.set(
            .identities, UnsafeRawBufferPointer(rebasing: bytes[..<12]), UnsafeRawBufferPointer(rebasing: bytes[12...]))
    }

    /// What an appender must know of an event that it is about to record.
    package borrowing func known(_ identity: Identity) throws -> KnownEvent? {
        guard let position = try position(of: identity) else { return nil }
        var isUnacknowledged = false
        if identity.kind == .clientToken, try log.record(at: position)?.type == .messageSendQueued {
            isUnacknowledged = try state(of: LocalMessageID(position.rawValue))?.serverID.isEmpty ?? true
        }
        return KnownEvent(position: position, isUnacknowledged: isUnacknowledged)
    }

    /// Whether a message was queued in a conversation and no server has acknowledged it.
    package borrowing func isUnacknowledged(_ local: LocalMessageID, in key: ConversationKey) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)), record.type == .messageSendQueued,
            try symbols.existingNumber(of: key) == record.conversation
        else { return false }
        return try state(of: local)?.serverID.isEmpty ?? true
    }

    private borrowing func claims(_ position: Position, _ identity: Identity) throws -> Bool {
        guard let record = try log.record(at: position) else { return false }
        if record.claims(identity) { return true }
        guard identity.kind == .serverID, record.type == .messageSendQueued, record.conversation == identity.scope,
            let state = try state(of: LocalMessageID(position.rawValue))
        else { return false }
        return state.serverID.span.bytes.isEqual(to: identity.bytes)
    }

    /// The local id of the message that the server calls `serverID`, or nil.
    package borrowing func local(of serverID: RawSpan, in conversation: UInt32) throws -> LocalMessageID? {
        try position(of: Identity(.serverID, scope: conversation, bytes: serverID)).map { LocalMessageID($0.rawValue) }
    }
}

/// A row of the views that cannot be read: views are dropped and rebuilt.
package struct ViewDamage: Error, CustomStringConvertible {
    package let table: ViewTable

    package var description: String { "a row of \(table.name) cannot be read" }
}
