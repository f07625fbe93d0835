@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The kind of a conversation: the last that an event set, else the key's. It is the key's as well where the rows
    /// that hold it are being rebuilt, or are none of those that a host's projection reads.
    borrowing func kind(of conversation: ConversationNumber) throws -> ConversationKind {
        guard isAvailable(ConversationList.conversations.place),
            let row = try row(ConversationList.conversations, conversation)
        else {
            return try symbols.conversation(conversation).kind
        }
        return row.conversationKind
    }

    /// When the newest message that waits for the server and may be shown in the list was queued; 0 where none does.
    borrowing func newestProvisionalTime(in conversation: ConversationNumber) throws -> UInt64 {
        let floor = try floor(of: conversation) ?? .belowAll
        var newest: UInt64 = 0
        var cursor = try rowsBackwards(
            Timeline.messages, before: PlaceKey(conversation: conversation, order: .aboveAll))
        while try cursor.next(), cursor.key.conversation == conversation,
            floor.precedes(cursor.key.order)
        {
            let row = try cursor.row(of: Timeline.messages)
            guard row.flags.contains(.updatesLastMessage) else { continue }
            // Below a message of the server, what this device's clock says moves the conversation no more.
            guard row.flags.isTimeProvisional || OrderKey.isUnsent(cursor.key.order) else { break }
            let record = try record(at: Position(row.local.rawValue), namedBy: Timeline.messages.place)
            newest = max(newest, UInt64(clamping: record.now.milliseconds))
        }
        return newest
    }

    /// The newest message that may be shown in the list, unsent ones included.
    borrowing func lastMessage(in conversation: ConversationNumber) throws -> (local: LocalMessageID, order: OrderKey)?
    {
        let clearing = try clearing(of: conversation)
        var cursor = try rowsBackwards(
            Timeline.messages, before: PlaceKey(conversation: conversation, order: .aboveAll))
        while try cursor.next(), cursor.key.conversation == conversation {
            let order = cursor.key.order
            guard clearing.floor.precedes(order) || !clearing.kept.isEmpty else { return nil }
            let row = try cursor.row(of: Timeline.messages)
            guard clearing.shows(row.local, at: order) else { continue }
            if row.flags.contains(.updatesLastMessage) { return (row.local, OrderKey(order)) }
        }
        return nil
    }
}
