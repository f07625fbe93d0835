@_spi(Storage) internal import MessageStoreLog

/// What the timeline keeps of a message; everything else stands in the log.
struct TimelineRow: ViewRow, Equatable {
    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Incoming, policy "count", not recalled: unread while above the read marker (d5).
        static let counts = Flags(rawValue: 1)
        static let updatesLastMessage = Flags(rawValue: 2)
        static let isOutgoing = Flags(rawValue: 4)
        static let isRecalled = Flags(rawValue: 8)
        static let mentionsAccount = Flags(rawValue: 16)
        /// A row of `messageStates` says more.
        static let hasState = Flags(rawValue: 32)
    }

    static let size = 13

    var local: LocalMessageID
    var contentType: UInt32
    var flags: Flags

    init(local: LocalMessageID, contentType: UInt32, flags: Flags) {
        self.local = local
        self.contentType = contentType
        self.flags = flags
    }

    init?(_ row: RawSpan) {
        guard row.byteCount == Self.size, let local = row.load(at: 0, as: UInt64.self),
            let contentType = row.load(at: 8, as: UInt32.self), let flags = row.load(at: 12, as: UInt8.self)
        else { return nil }
        self.init(local: LocalMessageID(local), contentType: contentType, flags: Flags(rawValue: flags))
    }

    func write(to writer: inout ByteWriter) {
        writer.append(local.rawValue)
        writer.append(contentType)
        writer.append(flags.rawValue)
    }
}

/// A change of one timeline row; `ConversationList` and `UnreadCounters` are folds of these.
struct TimelineChange {
    let conversation: UInt32
    /// Where the row's order bytes stand in ``TimelineChanges``.
    let order: Range<Int>
    let before: TimelineRow?
    let after: TimelineRow?
    /// When the event was recorded, the only time that an unsent message has.
    let recordedTime: Timestamp
    /// Whether a message that stood elsewhere comes to its place.
    let isMove: Bool
}

/// The timeline changes of one event.
struct TimelineChanges: ~Copyable {
    private(set) var list: [TimelineChange] = []
    private var orders = ByteWriter()

    mutating func removeAll() {
        list.removeAll(keepingCapacity: true)
        orders.removeAll()
    }

    /// Adds a change; `order` writes the row's order bytes.
    mutating func append(
        conversation: UInt32, before: TimelineRow?, after: TimelineRow?, recordedTime: Timestamp, isMove: Bool = false,
        order: (inout ByteWriter) -> Void
    ) {
        guard before != after else { return }
        let start = orders.count
        order(&orders)
        list.append(
            TimelineChange(
                conversation: conversation, order: start..<orders.count, before: before, after: after,
                recordedTime: recordedTime, isMove: isMove))
    }

    @_lifetime(borrow self)
    borrowing func order(of change: TimelineChange) -> RawSpan {
        orders.bytes.extracting(change.order)
    }
}
