@_spi(Storage) internal import MessageStoreLog

/// For reading, the place of a message is its time, at most a day after its recording, then its id (d33).
extension RecordView {
    /// The latest time that counts of what the event says: a day after it was recorded.
    @inline(__always) var latestTime: UInt64 { UInt64(clamping: correctedTime.milliseconds) &+ Self.greatestLead }

    /// Whether a time is more than a day after the event was recorded.
    @inline(__always) func isAhead(_ time: UInt64) -> Bool { latestTime < time }

    /// A time that the event names or has, in milliseconds, as the list takes it.
    func listed(_ time: Timestamp) -> UInt64 { min(UInt64(clamping: time.milliseconds), latestTime) }

    /// A time that the event names or has, in milliseconds, as receipts compare it.
    func capped(_ time: Timestamp) -> Int64 { min(time.milliseconds, Int64(clamping: latestTime)) }

    /// The lowest place of a time that is ahead.
    var firstPlaceAhead: OrderKey { Self.place(latestTime &+ 1, id: RawSpan()) }

    /// A place that the event names or has, as reading compares it.
    func capped(_ order: OrderKey) -> OrderKey {
        guard order.isComplete, isAhead(order.time) else { return order }
        return Self.place(latestTime, id: order.bytes.span.bytes.extracting(last: order.idByteCount))
    }

    private static func place(_ time: UInt64, id: RawSpan) -> OrderKey {
        OrderKey { OrderKey.append(time: Timestamp(milliseconds: Int64(clamping: time)), id: id, to: &$0) }
    }
}

extension OrderKey {
    /// The time with which a complete key begins.
    var time: UInt64 { Self.time(of: bytes.span.bytes) }

    fileprivate var idByteCount: Int { bytes.count - Self.timeBytes }

    /// The beginning of all places of the same time.
    var startOfTime: OrderKey { OrderKey(Array(bytes.prefix(Self.timeBytes))) }

    /// The server's id that the place names; nil for a time alone, and for a line of this device.
    var serverID: [UInt8]? {
        guard idByteCount > 0, bytes[Self.timeBytes] < Self.afterServerIDs else { return nil }
        return Array(bytes.dropFirst(Self.timeBytes))
    }
}

/// Up to where a conversation, or a thread, is read.
struct ReadMarker {
    /// Empty if nothing is read.
    let upTo: OrderKey
    /// See ``UnreadRow/readAt``.
    var readAt: UInt64 = 0
    /// See ``UnreadRow/aheadReadUpTo``.
    let aheadReadUpTo: UInt64
    /// Whether messages of the past are unread above it.
    var showsHistory = true
    /// Whether messages above it may have been cleared.
    var mayBeBelowFloor = false

    /// The place above which all unread rows are, but for rows of the future.
    var lowestUnread: OrderKey { readAt == 0 ? upTo : upTo.startOfTime }

    /// Whether a message above the read marker is unread.
    func isUnread(_ message: TimelineRow) -> Bool {
        message.flags.contains(.counts) && (!message.flags.contains(.countsAboveMarker) || showsHistory)
    }

    /// Whether this account has read a message of somebody else.
    func isRead(_ record: RecordView, _ state: MessageState) -> Bool {
        if state.userFlags.contains(.read) { return true }
        // Nobody knows that a message of the past is unread, until a read marker says so.
        if record.flags.contains(.countsAboveMarker), !showsHistory { return true }
        return !isBelow(record, state)
    }

    /// Whether a message is above the read marker, by its place for reading.
    func isBelow(_ record: RecordView, _ state: MessageState) -> Bool {
        let local = LocalMessageID(record.position.rawValue)
        let time = OrderKey.time(of: record, state)
        if record.isAhead(time), !record.flags.contains(.isOutgoing) {
            return local.rawValue > aheadReadUpTo && upTo < record.capped(OrderKey(record, state))
        }
        if upTo.precedes(record, state, of: time) { return true }
        return readAt != 0 && isBelow(OrderKey(record, state).bytes.span.bytes, local)
    }

    /// Whether a place is above the read marker, or at its time and of a message that was recorded after this device
    /// read.
    fileprivate func isBelow(_ order: RawSpan, _ local: LocalMessageID) -> Bool {
        if upTo.precedes(order) { return true }
        return readAt != 0 && local.rawValue > readAt && OrderKey.time(of: order) == upTo.time
    }
}

/// Up to where an event reads a conversation.
enum ReadingPlace {
    /// All that is known.
    case all
    case upTo(OrderKey)
    /// A place by the id of a message that the store does not have, or whose time it does not know.
    case unknown(OrderKey, serverID: [UInt8])

    /// `reported` is the place that the event names; nil for all that is known.
    init(_ reported: OrderKey?, of event: RecordView, _ snapshot: borrowing ViewSnapshot) throws {
        guard let reported else {
            self = .all
            return
        }
        guard let serverID = reported.serverID else {
            self = .upTo(event.capped(reported))
            return
        }
        switch try snapshot.readingPlace(of: serverID, in: event.conversationNumber) {
        case nil: self = .unknown(event.capped(reported), serverID: serverID)
        // A message of the future is shown last and was read after all others; only this device knows which those were.
        case let place? where place.isAhead && event.origin == .local: self = .all
        case let place?: self = .upTo(place.order)
        }
    }

    /// The place as long as no more is known; nil for all.
    var order: OrderKey? {
        switch self {
        case .all: nil
        case .upTo(let order), .unknown(let order, _): order
        }
    }
}

extension ViewSnapshot {
    /// The place for reading of a message by its server id, shown or not, and whether its time is ahead of its
    /// recording; nil while the store does not have it or does not know its time.
    borrowing func readingPlace(
        of serverID: [UInt8], in conversation: ConversationNumber
    ) throws -> (order: OrderKey, isAhead: Bool)? {
        guard let local = try local(of: serverID.span.bytes, in: conversation),
            let record = try log.record(at: Position(local.rawValue))
        else { return nil }
        let state = try row(Messages.states, local) ?? MessageState()
        guard !state.flags.contains(.isTimeProvisional) else { return nil }
        let order = OrderKey(record, state)
        return (record.capped(order), record.isAhead(order.time))
    }

    /// Whether a row of the timeline is above a read marker, by its place for reading.
    ///
    /// - Parameter event: The event that is folded, which is not among the records below it.
    borrowing func isAbove(
        _ marker: ReadMarker, _ row: TimelineRow, at order: RawSpan, folding event: RecordView? = nil
    ) throws -> Bool {
        guard row.flags.isTimeAhead else { return marker.isBelow(order, row.local) }
        guard row.local.rawValue > marker.aheadReadUpTo else { return false }
        return try marker.upTo < readingPlace(of: row, at: order, folding: event)
    }

    /// Whether a row of the timeline is above a place, by its own place for reading.
    borrowing func isAbove(
        _ place: OrderKey, _ row: TimelineRow, at order: RawSpan, folding event: RecordView?
    ) throws -> Bool {
        guard row.flags.isTimeAhead else { return place.precedes(order) }
        return try place < readingPlace(of: row, at: order, folding: event)
    }

    /// The place for reading of a row of the timeline that is from the future.
    borrowing func readingPlace(
        of row: TimelineRow, at order: RawSpan, folding event: RecordView?
    ) throws -> OrderKey {
        if let event, event.position.rawValue == row.local.rawValue { return event.capped(OrderKey(order)) }
        return try record(at: Position(row.local.rawValue), namedBy: Timeline.messages.viewTable).capped(
            OrderKey(order))
    }

    /// Calls `body` with the rows of the timeline above a read marker that were not cleared, oldest first, until it returns
    /// false.
    ///
    /// - Parameters:
    ///   - place: Only rows above it; nil for all above the read marker.
    ///   - event: The event that is folded, which is not among the records below it.
    borrowing func forEachRow(
        above marker: ReadMarker, _ place: OrderKey? = nil, in conversation: ConversationNumber,
        folding event: RecordView? = nil, _ body: (_ order: RawSpan, TimelineRow) throws -> Bool
    ) throws {
        let clearing = marker.mayBeBelowFloor ? try clearing(of: conversation) : Clearing()
        try forEachTimelineRow(above: place ?? marker.lowestUnread, in: conversation) { order, row in
            guard clearing.shows(row.local, at: order) else { return true }
            guard try isAbove(marker, row, at: order, folding: event) else { return true }
            if let place, row.flags.isTimeAhead, try !isAbove(place, row, at: order, folding: event) { return true }
            return try body(order, row)
        }
    }
}

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
        let newest = try rows.snapshot.newestReported(in: conversation, asOf: event).order ?? .belowAll
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

    /// A message that counts arrived, at a place where a number may count it.
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

    /// A message arrived among the ones that the number counts: the oldest of them was not one.
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
        let newest = try newestReported(in: conversation, asOf: event).order
        guard !newest.isBelow(report.upTo) || !isSyncing else { return nil }
        return try range(containing: report.upTo, in: conversation)
    }

    /// The place below as many messages that count, from where a report counts on downwards.
    ///
    /// - Returns: The place, nil if the stretch holds fewer of them or a message from the future is above the place,
    ///   which the server counts elsewhere than this device; and how many the stretch holds.
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
