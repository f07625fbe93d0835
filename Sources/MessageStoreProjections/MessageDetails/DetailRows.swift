@_spi(Storage) internal import MessageStoreLog

/// A value of which the latest by the server's clock stays, among equals the latest in the log.
struct LatestValue<Value: ViewRow>: ViewRow {
    /// Whether the value was set; else it was taken away.
    var isSet = false
    var time: Int64 = 0
    var position: UInt64 = 0
    var value = Value()

    init() {}

    init(isSet: Bool, by event: RecordView, value: Value = Value()) {
        self.isSet = isSet
        time = event.serverTime?.milliseconds ?? 0
        position = event.position.rawValue
        self.value = value
    }

    func isEarlier(than other: Self) -> Bool { (time, position) < (other.time, other.position) }

    /// The later value is kept.
    mutating func join(_ other: Self) {
        if isEarlier(than: other) { self = other }
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("isSet", &isSet)
        parts.part("time", &time, .time)
        parts.part("position", &position)
        value.describe(&parts)
    }
}

/// The value of a pair attached to a message.
struct PairValue: ViewRow {
    var value = ""

    init() {}

    init(_ value: String) { self.value = value }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.string("value", &value)
    }
}

/// How many members have read a message and how many have not, as the server reported.
struct ReadCountsValue: ViewRow {
    var read: UInt32 = 0
    var unread: UInt32 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("read", &read)
        parts.part("unread", &unread)
    }
}

/// A number that the server reported.
struct CountValue: ViewRow {
    var count: UInt32 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("count", &count)
    }
}

/// When a member first received and first read a message (d19).
struct ReceiptTimes: ViewRow {
    static let none: Int64 = -1
    /// It happened at an unknown time; any known time comes before it.
    static let untold = Int64.max

    var delivered = Self.none
    var read = Self.none

    init() {}

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("delivered", &delivered, .time)
        parts.part("read", &read, .time)
    }

    /// A message that was read was delivered, too.
    mutating func note(isRead: Bool, at time: Timestamp?) {
        let time = time.flatMap { $0 == .unknown ? nil : $0.milliseconds } ?? Self.untold
        delivered = Self.first(delivered, time)
        if isRead { read = Self.first(read, time) }
    }

    mutating func join(_ other: ReceiptTimes) {
        delivered = Self.first(delivered, other.delivered)
        read = Self.first(read, other.read)
    }

    private static func first(_ one: Int64, _ other: Int64) -> Int64 {
        one == none ? other : other == none ? one : min(one, other)
    }
}
