@_spi(Storage) public import MessageStoreLog

extension Views.Diagnostics {
    /// How many unread messages of a conversation the store has.
    ///
    /// Differs from ``UnreadCount/messages`` only while a server's report is in force (``UnreadCount/report``). Costs
    /// one point read, and meanwhile a step for each row above the read marker.
    ///
    /// - Throws: `StoreError`.
    public borrowing func shownUnread(of conversation: ConversationKey) throws -> Int {
        guard let number = try snapshot.symbols.number(of: conversation) else { return 0 }
        let unread = try snapshot.unreadRow(of: number)
        guard unread.isReportInForce else { return Int(unread.count) }
        var count = 0
        let marker = unread.marker
        try snapshot.forEachRow(above: marker, in: number) { _, row in
            if marker.isUnread(row) { count += 1 }
            return true
        }
        return count
    }
}
