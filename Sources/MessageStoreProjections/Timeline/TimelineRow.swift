@_spi(Storage) internal import MessageStoreLog

/// What the timeline stores of a message; everything else is in the log.
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
        /// Of an own message: the server accepted it without a time, and its place is that of its queueing. Of another:
        /// its time is more than a day after its recording (d33).
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
    /// Where the row's order bytes are in ``TimelineChanges``.
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
