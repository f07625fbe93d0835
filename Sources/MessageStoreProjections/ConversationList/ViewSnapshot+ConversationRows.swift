@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func conversationRow(_ number: ConversationNumber) throws -> ConversationRow? {
        try decoded(.conversations, at: number)
    }

    /// What kind a conversation is: the one told last, else the key's. It is the key's as well where the rows that hold
    /// it are being rebuilt, or are none of those that a host's projection reads.
    borrowing func kind(of conversation: ConversationNumber) throws -> ConversationKind {
        guard isAvailable(.conversations), let row = try conversationRow(conversation) else {
            return try symbols.conversation(conversation).kind
        }
        return row.conversationKind
    }

    borrowing func conversationInfo(of conversation: ConversationNumber) throws -> ConversationInfo? {
        try decoded(.conversationInfo, at: conversation)
    }

    /// When the newest message that waits for the server and may be shown in the list was queued; 0 where none does.
    borrowing func newestProvisionalTime(in conversation: ConversationNumber) throws -> UInt64 {
        let floor = try floor(of: conversation) ?? .belowAll
        var newest: UInt64 = 0
        let end = RowKey.end(of: conversation)
        var cursor = try rowsBackwards(.timeline, before: end.span.bytes)
        while try cursor.next(), cursor.key.conversation == conversation,
            floor.precedes(cursor.key.order)
        {
            let row: TimelineRow = try cursor.decoded()
            guard row.flags.contains(.updatesLastMessage) else { continue }
            // Below a message of the server, what this device's clock says moves the conversation no more.
            guard row.flags.isTimeProvisional || OrderKey.isUnsent(cursor.key.order) else { break }
            let record = try record(at: Position(row.local.rawValue), namedBy: .timeline)
            newest = max(newest, UInt64(clamping: record.recordedTime.milliseconds))
        }
        return newest
    }

    /// The newest message that may be shown in the list, unsent ones included.
    borrowing func lastMessage(in conversation: ConversationNumber) throws -> (local: LocalMessageID, order: OrderKey)?
    {
        let floor = try floor(of: conversation) ?? .belowAll
        let end = RowKey.end(of: conversation)
        var cursor = try rowsBackwards(.timeline, before: end.span.bytes)
        while try cursor.next(), cursor.key.conversation == conversation {
            let order = cursor.key.order
            guard floor.precedes(order) else { return nil }
            let row: TimelineRow = try cursor.decoded()
            if row.flags.contains(.updatesLastMessage) { return (row.local, OrderKey(order)) }
        }
        return nil
    }
}
