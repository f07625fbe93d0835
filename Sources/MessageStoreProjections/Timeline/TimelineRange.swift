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
    /// The row of ``Timeline/waits``, which proves that the gap after the stretch holds nothing; nil where only loaded
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

/// The newest stretch of a timeline, open at its newer end: what arrives live goes on at it (d27).
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
