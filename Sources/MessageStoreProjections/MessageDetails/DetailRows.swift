@_spi(Storage) internal import MessageStoreLog

/// What a row of `messageDetails` tells of a message.
enum DetailKind: UInt8 {
    /// Own key: the reaction, then the user u32.
    case reaction = 1
    /// Own key: that of the pair.
    case expansion = 2
    /// Own key: the member u32.
    case receipt = 3
    /// No own key.
    case readCounts = 4
    /// No own key: ``ReceiptFacts``.
    case receiptFacts = 5

    /// The beginning of the keys of this kind for the message that the server calls `serverID` (d18).
    func prefix(_ conversation: UInt32, _ serverID: [UInt8]) -> [UInt8] {
        RowKey.number(conversation) + [UInt8(clamping: serverID.count)] + serverID + [rawValue]
    }
}

/// A value of which the latest by the server's clock stays, among equals the latest in the log.
struct LatestValue: ViewRow {
    /// Whether the value was set; else it was taken away.
    var isSet: Bool
    var time: Int64
    var position: UInt64
    var value: [UInt8] = []

    init(isSet: Bool, by event: RecordView, value: [UInt8] = []) {
        self.isSet = isSet
        time = event.serverTime?.milliseconds ?? 0
        position = event.position.rawValue
        self.value = value
    }

    init?(_ row: RawSpan) {
        guard let isSet = row.load(at: 0, as: UInt8.self), let time = row.load(at: 1, as: Int64.self),
            let position = row.load(at: 9, as: UInt64.self)
        else { return nil }
        self.isSet = isSet == 1
        self.time = time
        self.position = position
        value = row.extracting(17..<row.byteCount).copied
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 17 + value.count)
        writer.append(UInt8(isSet ? 1 : 0))
        writer.append(time)
        writer.append(position)
        writer.append(value)
        return writer.bytes.copied
    }
}

/// When a member first received and first read a message (d19).
struct ReceiptTimes: ViewRow {
    static let none: Int64 = -1
    /// It happened, but nobody told when; any told time comes before it.
    static let untold = Int64.max

    var delivered = Self.none
    var read = Self.none

    init() {}

    init?(_ row: RawSpan) {
        guard let delivered = row.load(at: 0, as: Int64.self), let read = row.load(at: 8, as: Int64.self) else {
            return nil
        }
        (self.delivered, self.read) = (delivered, read)
    }

    /// What was read was delivered.
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

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.append(delivered)
        writer.append(read)
        return writer.bytes.copied
    }
}

/// What was told of the receipt that this account owes for a message.
struct ReceiptFacts: ViewRow, OptionSet {
    let rawValue: UInt8
    static let isRequested = ReceiptFacts(rawValue: 1)
    static let isSent = ReceiptFacts(rawValue: 2)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init?(_ row: RawSpan) {
        guard row.byteCount == 1, let rawValue = row.load(at: 0, as: UInt8.self) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// Whether a receipt is owed for a message that itself wants one or not.
    func isOwed(_ needsReceipt: Bool) -> Bool { (needsReceipt || contains(.isRequested)) && !contains(.isSent) }
}
