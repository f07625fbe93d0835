@_spi(Storage) internal import MessageStoreLog

/// Finds the place of a server's number: the timeline has no gap from there on and holds as many messages that count
/// (d50).
///
/// It is looked for when the number is reported, when history is loaded and when enough messages arrived below the
/// number's place. Of a number alone it can be known only by history that was loaded since.
extension UnreadCounters {
    /// Moves the read marker below the messages that the server's number counts, if these are known.
    mutating func findPlace(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        let slot = try slot(conversation, &rows)
        let row = cache[slot].row
        guard row.isReportInForce else { return }
        var place = row.report.upTo
        if row.report.count > 0 {
            guard let stretch = try rows.snapshot.stretch(of: row.report, in: conversation, asOf: event) else { return }
            let wanted = Int(row.report.count) + (row.report.isOpen ? Int(row.count) : 0)
            let search = try rows.snapshot.placeBelow(wanted, of: row, in: stretch, conversation, folding: event)
            guard let found = search.place else {
                cache[slot].row.report.missing = UInt32(clamping: wanted - search.count)
                return
            }
            place = found
        }
        let newest = try rows.snapshot.newestTold(in: conversation, asOf: event).order ?? .belowAll
        try recount(event, &rows) { row in
            row.placeReport(readUpTo: place, newest: row.report.isOpen ? newest : .belowAll)
        }
        if cache[slot].row.namedUpTo.isEmpty, !row.namedUpTo.isEmpty {
            for (key, _) in try rows.snapshot.namedMarkers(of: conversation) { rows.remove(Self.namedMarkers, key) }
        }
    }

    /// More messages are known below the place of the number: the next message that counts may show its place.
    mutating func expectPlace(in conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        let slot = try slot(conversation, &rows)
        if cache[slot].row.report.missing > 0 { cache[slot].row.report.missing = 0 }
    }

    /// A message that counts arrived, at a place from which it may be one of those that a number counts.
    mutating func arrive(
        _ message: TimelineRow, at order: RawSpan, _ slot: Int, _ event: RecordView, _ rows: inout FoldRows
    ) throws {
        guard !message.flags.isTimeAhead else { return }
        if cache[slot].row.isPlaced(above: order) { return try raisePlace(slot, event, &rows) }
        guard cache[slot].row.isReportInForce, !cache[slot].row.report.isOpen else { return }
        let report = cache[slot].row.report
        if report.missing > 0 {
            guard !report.upTo.precedes(order) else { return }
            cache[slot].row.report.missing -= 1
            // If it made the stretch longer by itself alone, the others are still missing.
            let stretch = try rows.snapshot.range(containing: report.upTo, in: event.conversationNumber)
            if report.missing > 1, stretch.map({ !$0.oldest.precedes(order) }) ?? true { return }
        }
        try findPlace(event, &rows)
    }

    /// A message arrived among those that the number counts: the oldest of them was not one of them.
    private mutating func raisePlace(_ slot: Int, _ event: RecordView, _ rows: inout FoldRows) throws {
        let marker = cache[slot].row.marker
        var oldest: OrderKey?
        try rows.snapshot.forEachRow(above: marker, in: event.conversationNumber, folding: event) {
            order, row in
            guard marker.isUnread(row), !row.flags.isTimeAhead else { return true }
            oldest = OrderKey(order)
            return false
        }
        if let oldest { try recount(event, &rows) { ($0.placedUpTo, $0.readAt) = (oldest, 0) } }
    }
}

extension ViewSnapshot {
    /// The stretch without gaps that holds the messages that a report counts; nil if it is not known.
    fileprivate borrowing func stretch(
        of report: UnreadReport, in conversation: ConversationNumber, asOf event: RecordView
    ) throws -> TimelineRange? {
        // Messages that a sync is about to deliver are not there yet.
        let isSyncing = try syncRow().isSyncing
        if report.isOpen { return try isSyncing ? nil : row(Timeline.heads, conversation)?.range }
        let newest = try newestTold(in: conversation, asOf: event).order
        guard !newest.isBelow(report.upTo) || !isSyncing else { return nil }
        return try range(containing: report.upTo, in: conversation)
    }

    /// The place below as many messages that count, from where a report counts on downwards.
    ///
    /// - Returns: The place, nil where the stretch holds fewer of them or where a message from the future is above the
    ///   place, which the server counts elsewhere than this device; and how many the stretch holds.
    fileprivate borrowing func placeBelow(
        _ wanted: Int, of unread: UnreadRow, in stretch: TimelineRange, _ conversation: ConversationNumber,
        folding event: RecordView
    ) throws -> (place: OrderKey?, count: Int) {
        let floor = try floor(of: conversation) ?? .belowAll
        let report = unread.report
        var (count, oldest, ahead) = (0, OrderKey.belowAll, OrderKey.belowAll)
        let start = PlaceKey(conversation: conversation, order: OrderKey(unsent: LocalMessageID(0)))
        var cursor = try rowsBackwards(Timeline.messages, before: start)
        while try cursor.next(), cursor.key.conversation == conversation {
            let order = cursor.key.order
            guard !order.precedes(stretch.oldest.bytes.span.bytes), floor.precedes(order) else { break }
            let row = try cursor.row(of: Timeline.messages)
            if row.flags.isTimeAhead {
                guard row.flags.contains(.counts), row.local.rawValue > unread.aheadReadUpTo else { continue }
                let place = try readingPlace(of: row, at: order, folding: event)
                if report.isOpen || place <= report.upTo { ahead = max(ahead, place) }
            } else if !report.isOpen, report.upTo.precedes(order) {
                continue
            } else if count == wanted {
                let place = OrderKey(order)
                if place.serverID != nil, !row.flags.isTimeProvisional { return (ahead <= place ? place : nil, count) }
            } else if row.flags.contains(.counts) {
                count += 1
                oldest = OrderKey(order)
            }
        }
        guard count == wanted else { return (nil, count) }
        // Just below the oldest, whatever is missing below it.
        let time = Timestamp(milliseconds: Int64(clamping: oldest.time) - 1)
        let place = max(floor, oldest.time == 0 ? .lowest : OrderKey(MessageOrder(time: time)))
        return (ahead <= place ? place : nil, count)
    }

    /// The read markers that name messages whose places are not known, by the keys of their rows.
    borrowing func namedMarkers(of conversation: ConversationNumber) throws -> [(key: ServerIDKey, order: OrderKey)] {
        // The conversation's own row, whose key is its number alone, sorts before.
        let start = ServerIDKey(conversation: conversation, serverID: [0])
        return try allRows(UnreadCounters.namedMarkers, from: start, under: conversation).map { ($0.key, $0.row.order) }
    }
}
