@_spi(Storage) public import MessageStoreLog

extension Views {
    /// How many unread messages of a conversation its timeline shows.
    ///
    /// Differs from ``UnreadCount/messages`` only while a server's report is above the read marker, where the server counts
    /// other messages than this store has. Of a number that was reported alone, messages fetched as history are a part and not
    /// among those shown, unless all of history counts. Costs one point read, and meanwhile a step for each row from the read
    /// marker to the report's place, or, of a number that was reported alone, for each row above the read marker.
    ///
    /// - Throws: `StoreError`.
    public borrowing func shownUnread(in conversation: ConversationKey) throws -> Int {
        guard let number = try snapshot.symbols.number(of: conversation),
            let unread: UnreadRow = try snapshot.decoded(.unread, at: number)
        else { return 0 }
        // Those above the place from which is counted are the count of the row, but for those that a number alone stands for.
        let isOpen = unread.report.isOpen
        var count = isOpen ? 0 : Int(unread.count)
        guard unread.isReportInForce else { return count }
        try snapshot.forEachTimelineRow(above: unread.readUpTo, in: number) { order, row in
            if !isOpen, unread.countedFrom.precedes(order) { return false }
            if unread.counts(row) { count += 1 }
            return true
        }
        return count
    }
}
