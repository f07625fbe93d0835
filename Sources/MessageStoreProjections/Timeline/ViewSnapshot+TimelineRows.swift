@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The order of a conversation's newest message that has a server's time, or nil.
    borrowing func newestOrder(in conversation: ConversationNumber) throws -> OrderKey? {
        try newestRow(in: conversation, below: OrderKey(unsent: LocalMessageID(0)))?.order
    }

    /// The order of a conversation's newest message that a server sent, or nil: a line of this device has a place, too.
    ///
    /// Messages from the future are passed over: with a time of more than a day after their recording, or after the
    /// event's. The result says whether there are any.
    borrowing func newestTold(
        in conversation: ConversationNumber, asOf event: RecordView
    ) throws -> (order: OrderKey?, isBelowAhead: Bool) {
        var (isBelowAhead, end) = (false, OrderKey(unsent: LocalMessageID(0)))
        while true {
            guard let (order, row) = try newestRow(in: conversation, below: end) else { return (nil, isBelowAhead) }
            end = order
            if order.isOfDevice { continue }
            let isAheadOfEvent = event.isAhead(order.time)
            guard row.flags.isTimeAhead || isAheadOfEvent else { return (order, isBelowAhead) }
            isBelowAhead = true
            if isAheadOfEvent { end = event.firstPlaceAhead }
        }
    }

    /// A conversation's newest message below `order`, or nil. A message at this device's time is passed over: its clock
    /// may be ahead, and a read marker there would cover messages that are still to come.
    borrowing func newestRow(
        in conversation: ConversationNumber, below order: OrderKey
    ) throws -> (order: OrderKey, row: TimelineRow)? {
        var cursor = try rowsBackwards(
            Timeline.messages, before: PlaceKey(conversation: conversation, order: order))
        while try cursor.next(), cursor.key.conversation == conversation {
            let row = try cursor.row(of: Timeline.messages)
            if !row.flags.isTimeProvisional { return (OrderKey(cursor.key.order), row) }
        }
        return nil
    }

    /// The stretch without gaps that holds a place; a seek, whatever their number.
    borrowing func range(containing order: OrderKey, in conversation: ConversationNumber) throws -> TimelineRange? {
        let range = try ranges(of: conversation, touching: TimelineRange(newest: order, oldest: order)).first
        return range.flatMap { $0.contains(order) ? $0 : nil }
    }

    /// The stretches that overlap another or meet it, oldest first, the head last.
    borrowing func ranges(of conversation: ConversationNumber, touching range: TimelineRange) throws -> [TimelineRange]
    {
        var ranges = try closedRanges(of: conversation, touching: range)
        if let head = try row(Timeline.heads, conversation)?.range, head.touches(range) { ranges.append(head) }
        return ranges
    }

    /// Whether a known gap lies above `order`: one follows each closed stretch.
    borrowing func hasGap(above order: OrderKey, in conversation: ConversationNumber) throws -> Bool {
        noteReading(Timeline.ranges.place, of: conversation)
        guard hasGaps else { return false }
        var cursor = try rowsBackwards(Timeline.ranges, of: conversation)
        guard try cursor.next(), cursor.key.conversation == conversation else { return false }
        return !cursor.key.order.precedes(order.bytes.span.bytes)
    }

    /// The last closed stretch that ends below a place; without one, the last of all.
    borrowing func closedRange(
        in conversation: ConversationNumber, below order: OrderKey = .aboveAll
    ) throws -> TimelineRange? {
        guard hasGaps else { return nil }
        var cursor = try rowsBackwards(Timeline.ranges, before: PlaceKey(conversation: conversation, order: order))
        guard try cursor.next(), cursor.key.conversation == conversation else { return nil }
        return try closedRange(at: cursor, of: conversation)
    }

    private borrowing func closedRange(
        at cursor: borrowing RowCursor, of conversation: ConversationNumber
    ) throws -> TimelineRange {
        var range = try cursor.row(of: Timeline.ranges)
        range.newest = OrderKey(cursor.key.order)
        range.wait = try row(Timeline.waits, PlaceKey(conversation: conversation, order: range.newest))
        return range
    }

    /// The stretches that end in a gap and overlap another or meet it, oldest first.
    borrowing func closedRanges(of conversation: ConversationNumber, touching range: TimelineRange) throws
        -> [TimelineRange]
    {
        guard hasGaps else { return [] }
        var ranges: [TimelineRange] = []
        var cursor = try rows(Timeline.ranges, from: PlaceKey(conversation: conversation, order: range.oldest))
        while try cursor.next(), cursor.key.conversation == conversation {
            let closed = try closedRange(at: cursor, of: conversation)
            guard closed.touches(range) else { break }
            ranges.append(closed)
        }
        return ranges
    }

    /// Calls `body` with the timeline rows above `order`, oldest first, until it returns false.
    borrowing func forEachTimelineRow(
        above order: OrderKey, in conversation: ConversationNumber,
        _ body: (_ order: RawSpan, TimelineRow) throws -> Bool
    ) throws {
        var cursor = try rows(Timeline.messages, from: PlaceKey(conversation: conversation, order: order))
        while try cursor.next(), cursor.key.conversation == conversation {
            guard order.precedes(cursor.key.order) else { continue }
            let row = try cursor.row(of: Timeline.messages)
            guard try body(cursor.key.order, row) else { return }
        }
    }
}
