@_spi(Storage) internal import MessageStoreLog

// Events that are about messages of which the store has none.

extension Admitter {
    /// Whether the appended event names messages and the store has none of them.
    mutating func matchesNothing() throws -> Bool {
        guard let record = writer.appended else { return false }
        let conversation = record.conversationNumber
        switch record.type {
        case .messageSent, .messageSendFailed, .messageSendRetried:
            guard let queued = record.queuedMessage else { return false }
            return try !hasRecord(at: Position(queued.rawValue)) {
                $0.conversationNumber == conversation && $0.type == .messageSendQueued
            }
        case .pendingChangeUpdated:
            return try !hasRecord(at: record[PendingChangeUpdated.change]) { $0.mayAwaitServer }
        default:
            var (namesAny, hasAny) = (false, false)
            try record.forEachReference { reference throws in
                namesAny = true
                if !hasAny { hasAny = try hasMessage(reference, in: conversation) }
            }
            return namesAny && !hasAny
        }
    }

    /// Whether a conversation has a message, of this batch or an earlier one.
    borrowing func isMessage(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> Bool {
        let position = Position(local.rawValue)
        guard position >= writer.batch.firstPosition else {
            return try views.ask { try $0.isMessage(local, in: conversation) }
        }
        guard let record = writer.batch[position] else { return false }
        return record.type.isMessage && record.conversationNumber == conversation
    }

    /// Whether a queued message, of this batch or an earlier one, waits for its server.
    borrowing func isWaiting(_ position: Position, in conversation: ConversationNumber) throws -> Bool {
        guard acknowledged[position] == nil else { return false }
        guard position >= writer.batch.firstPosition else {
            return try views.ask { try $0.isUnacknowledged(LocalMessageID(position.rawValue), in: conversation) }
        }
        guard let queued = writer.batch[position] else { return false }
        return queued.type == .messageSendQueued && queued.conversationNumber == conversation
    }

    /// Whether there is a record at a position, of this batch or an earlier one, for which a condition holds.
    borrowing func hasRecord(at position: Position, where condition: (RecordView) -> Bool) throws -> Bool {
        if position >= writer.batch.firstPosition {
            guard let record = writer.batch[position] else { return false }
            return condition(record)
        }
        return try views.ask { views throws in
            guard let record = try views.log.record(at: position) else { return false }
            return condition(record)
        }
    }

    /// A server id that the filter of identities takes for a known one is taken for that of a message.
    private borrowing func hasMessage(
        _ reference: ReferenceView, in conversation: ConversationNumber
    ) throws -> Bool {
        switch reference {
        case .local(let local): return try isMessage(local, in: conversation)
        case .server(let id):
            let identity = Identity(.serverID, scope: conversation.rawValue, bytes: id)
            let key = identity.key
            if own.number(of: key) != nil { return true }
            if let identityFilter { return identityFilter.mayContain(key) }
            return try views.ask { try $0.position(of: identity, key: key) } != nil
        }
    }
}
