extension ViewDiagnostics {
    /// How many unread messages of a conversation the store has.
    ///
    /// Differs from ``UnreadCount/messages`` only while a server's report is in force (``UnreadCount/report``). Costs
    /// one point read, and meanwhile a step for each row above the read marker.
    ///
    /// - Throws: `StoreError`.
    public static func shownUnread(of conversation: ConversationKey, in views: borrowing Views) throws -> Int {
        guard let number = try views.snapshot.symbols.number(of: conversation) else { return 0 }
        let unread = try views.snapshot.unreadRow(of: number)
        guard unread.isReportInForce else { return Int(unread.count) }
        var count = 0
        let marker = unread.marker
        try views.snapshot.forEachRow(above: marker, in: number) { _, row in
            if marker.isUnread(row) { count += 1 }
            return true
        }
        return count
    }
}
