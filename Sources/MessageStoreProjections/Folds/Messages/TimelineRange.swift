@_spi(Storage) internal import MessageStoreLog

/// A stretch of a timeline that is known to have no gaps.
struct TimelineRange: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["reachesBeginning", "reachesEnd"]
        static let reachesBeginning = Flags(rawValue: 1)
        static let reachesEnd = Flags(rawValue: 2)
    }

    /// The end of the row's key.
    var newest = OrderKey.belowAll
    var oldest = OrderKey.belowAll
    private var flags: Flags = []
    /// The row of ``Timeline/waits``, which proves that the gap after the stretch holds nothing; nil if only loaded
    /// history does.
    var wait: TimelineWait?

    var reachesBeginning: Bool {
        get { flags[.reachesBeginning] }
        set { flags[.reachesBeginning] = newValue }
    }

    var reachesEnd: Bool {
        get { flags[.reachesEnd] }
        set { flags[.reachesEnd] = newValue }
    }

    init() {}

    init(
        newest: OrderKey, oldest: OrderKey, reachesBeginning: Bool = false, reachesEnd: Bool = false,
        wait: TimelineWait? = nil
    ) {
        self.newest = newest
        self.oldest = oldest
        self.wait = wait
        self.reachesBeginning = reachesBeginning
        self.reachesEnd = reachesEnd
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("flags", &flags)
        parts.order("oldest", &oldest)
    }

    var isPlausible: Bool { oldest.isEmpty || oldest.isComplete }

    func contains(_ order: OrderKey) -> Bool {
        order >= oldest && newest >= order
    }

    func touches(_ other: TimelineRange) -> Bool {
        newest >= other.oldest && other.newest >= oldest
    }

    mutating func merge(_ other: TimelineRange) {
        if newest < other.newest { (newest, wait) = (other.newest, other.wait) }
        if other.oldest < oldest { oldest = other.oldest }
        reachesBeginning = reachesBeginning || other.reachesBeginning
        reachesEnd = reachesEnd || other.reachesEnd
    }
}

/// The newest stretch of a timeline, open at its newer end: live messages extend it there (d27).
struct TimelineHead: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["reachesBeginning", "isLive"]
        static let reachesBeginning = Flags(rawValue: 1)
        static let isLive = Flags(rawValue: 2)
    }

    var oldest = OrderKey.belowAll
    private var flags: Flags = []
    /// The session in which it was last known to go on without a gap.
    var session: UInt64 = 0

    var reachesBeginning: Bool { flags[.reachesBeginning] }

    /// Whether it began with a live message while the session's sync was going on: others that come live follow it.
    var isLive: Bool {
        get { flags[.isLive] }
        set { flags[.isLive] = newValue }
    }

    init() {}

    init(oldest: OrderKey, reachesBeginning: Bool = false, isLive: Bool = false, session: UInt64) {
        self.oldest = oldest
        flags[.reachesBeginning] = reachesBeginning
        flags[.isLive] = isLive
        self.session = session
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("flags", &flags)
        parts.part("session", &session)
        parts.order("oldest", &oldest)
    }

    var isPlausible: Bool { oldest.isEmpty || oldest.isComplete }

    /// The same stretch, with an end above every order.
    var range: TimelineRange {
        TimelineRange(newest: .aboveAll, oldest: oldest, reachesBeginning: reachesBeginning, reachesEnd: true)
    }
}

extension TimelineHead? {
    /// Whether a message that arrives in a session changes nothing of the head.
    @inline(__always)
    func goesOn(with record: RecordView, in session: TimelineSession) -> Bool {
        switch self {
        case .some(let head): head.session == session.number && head.oldest.precedes(received: record)
        case .none: false
        }
    }
}

/// The state of the connection.
struct TimelineSession {
    /// The position at which the session or its sync began; 0 if the host never recorded one.
    let number: UInt64
    /// Whether the session has not ended.
    let isOn: Bool
    /// Whether a sync has completed in the session.
    let isSynced: Bool
    /// Whether a sync is going on, maybe one of an earlier session that broke off.
    let isSyncing: Bool
    /// Whether the host records that it connects.
    let isConnecting: Bool
    /// Whether the session's sync is going on, so that live messages overtake the messages that it delivers.
    let isCatchingUp: Bool
    /// Whether nothing is missing between two live messages, and between what a sync delivers and these.
    let takesLive: Bool
}

/// The timeline's part of a message; everything else is in the log.
struct TimelineRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = [
            "counts", "updatesLastMessage", "isOutgoing", "isRecalled", "mentionsAccount", "hasState",
            "countsAboveMarker", "isTimeUncertain",
        ]
        /// Incoming, policy "count", not recalled: unread while above the read marker (d5).
        static let counts = Flags(rawValue: 1)
        static let updatesLastMessage = Flags(rawValue: 2)
        static let isOutgoing = Flags(rawValue: 4)
        static let isRecalled = Flags(rawValue: 8)
        static let mentionsAccount = Flags(rawValue: 16)
        /// A row of `messageStates` says more.
        static let hasState = Flags(rawValue: 32)
        /// It counts only once a read marker or a server's count is known.
        static let countsAboveMarker = Flags(rawValue: 64)
        /// Of an own message: the server accepted it without a time, and its place is the one of its queueing. Of
        /// another: its time is more than a day after its recording (d33).
        static let isTimeUncertain = Flags(rawValue: 128)

        /// Whether it is an own message at the time of its queueing.
        var isTimeProvisional: Bool { isSuperset(of: [.isTimeUncertain, .isOutgoing]) }
        /// Whether it is a message of somebody else from the future.
        var isTimeAhead: Bool { contains(.isTimeUncertain) && !contains(.isOutgoing) }
    }

    var local = LocalMessageID(0)
    var contentType: UInt32 = 0
    var flags: Flags = []

    init() {}

    init(local: LocalMessageID, contentType: UInt32, flags: Flags) {
        self.local = local
        self.contentType = contentType
        self.flags = flags
    }

    /// The row of a message by what its record says alone, but for mentions and its time.
    @inline(__always)
    init(arrived record: RecordView) {
        self.init(
            local: LocalMessageID(record.position.rawValue), contentType: record.contentType, flags: [])
        let isOutgoing = record.flags.contains(.isOutgoing)
        if isOutgoing { flags.insert(.isOutgoing) }
        if !isOutgoing, record.flags.contains(.countsUnread) { flags.insert(.counts) }
        if record.flags.contains(.countsAboveMarker) { flags.insert(.countsAboveMarker) }
        if record.flags.contains(.updatesLastMessage) { flags.insert(.updatesLastMessage) }
    }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("local", &local)
        parts.part("contentType", &contentType, .contentType)
        parts.part("flags", &flags)
    }
}

/// When an event was recorded, the only time that an unsent message has, and the latest time that counts of it.
struct Recording {
    let now: Timestamp
    let latest: UInt64
}

extension RecordView {
    var recording: Recording { Recording(now: now, latest: latestTime) }
}

/// A change of one timeline row; `ConversationList` and `UnreadCounters` are folds of these.
struct TimelineChange {
    let conversation: ConversationNumber
    /// The range of the row's order bytes in ``TimelineChanges``.
    let order: Range<Int>
    let before: TimelineRow?
    let after: TimelineRow?
    /// When the message was recorded.
    let recording: Recording
    /// Whether a message that was elsewhere comes to its place.
    let isMove: Bool
    /// Whether the message mentions this account by name, before and after.
    let namesAccount: (before: Bool, after: Bool)
}

/// The timeline changes of one event.
struct TimelineChanges: ~Copyable {
    private(set) var list: [TimelineChange] = []
    private var orders = ByteWriter()

    mutating func removeAll() {
        // There are few, which is faster than `removeAll(keepingCapacity:)`.
        while !list.isEmpty { list.removeLast() }
        orders.removeAll()
    }

    /// Whether they are one message that arrived, about which nothing else is recorded.
    var isOneArrival: Bool {
        list.count == 1 && list[0].before == nil && list[0].after?.flags.contains(.hasState) == false
    }

    /// Adds a change; `order` writes the row's order bytes.
    mutating func append(
        conversation: ConversationNumber, before: TimelineRow?, after: TimelineRow?, _ recording: Recording,
        isMove: Bool = false, namesAccount: (before: Bool, after: Bool) = (false, false),
        order: (inout ByteWriter) -> Void
    ) {
        guard before != after || namesAccount.before != namesAccount.after else { return }
        let start = orders.count
        order(&orders)
        list.append(
            TimelineChange(
                conversation: conversation, order: start..<orders.count, before: before, after: after,
                recording: recording, isMove: isMove, namesAccount: namesAccount))
    }

    /// Takes changes out.
    mutating func removeAll(where isUnwanted: (TimelineChange) throws -> Bool) rethrows {
        try list.removeAll(where: isUnwanted)
    }

    @_lifetime(borrow self)
    borrowing func order(of change: TimelineChange) -> RawSpan {
        orders.bytes.extracting(change.order)
    }
}

extension ViewSnapshot {
    /// The order of a conversation's newest message that has a server's time, or nil.
    borrowing func newestOrder(in conversation: ConversationNumber) throws -> OrderKey? {
        try newestRow(in: conversation, below: OrderKey(unsent: LocalMessageID(0)))?.order
    }

    /// The order of a conversation's newest message that a server sent, or nil: a line of this device has a place, too.
    ///
    /// Messages from the future are passed over: with a time of more than a day after their recording, or after the
    /// event's. The result says whether there are any.
    borrowing func newestReported(
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
        var cursor = try rowsBackwards(Timeline.messages, before: PlaceKey(conversation: conversation, order: order))
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
        noteReading(Timeline.ranges.viewTable, of: conversation)
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

extension ViewSnapshot {
    /// Whether any timeline has a stretch that ends in a gap.
    var hasGaps: Bool { hasRows(Timeline.ranges) }
}
