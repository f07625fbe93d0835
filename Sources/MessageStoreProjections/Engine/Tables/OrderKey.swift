@_spi(Storage) internal import MessageStoreLog

/// A place in a conversation's order, as bytes that sort as the places do: 48 bits of server time, then the server id
/// (d2).
///
/// Messages that no server knows come after all others, by local id: their time is ``unsentTime``. Folds write keys
/// straight into rows' keys, see ``append(_:_:to:)``, and compare them there as spans.
struct OrderKey: Hashable, Comparable {
    static let unsentTime: UInt64 = 0xFFFF_FFFF_FFFF
    /// Greater than every byte of UTF-8: comes after every id of its time.
    static let afterAllIDs: UInt8 = 0xFF
    /// Greater than every byte of UTF-8: messages of this device alone come after the server's of their time.
    static let afterServerIDs: UInt8 = 0xFE

    /// Below every place: no bytes.
    static let belowAll = OrderKey([])
    /// Below the place of every message, but a place.
    static let lowest = OrderKey { append(time: .unknown, id: RawSpan(), to: &$0) }
    /// Above every place, also of unsent messages.
    static let aboveAll = OrderKey([UInt8](repeating: 0xFF, count: 16))

    /// The bytes that rows store.
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(_ order: RawSpan) { bytes = order.copied }

    init(_ order: MessageOrder) {
        self.init { writer in
            Self.appendTime(UInt64(clamping: order.time.milliseconds), to: &writer)
            if let id = order.id { writer.append(id.rawValue) } else { writer.append(Self.afterAllIDs) }
        }
    }

    /// The place of an unsent message.
    init(unsent local: LocalMessageID) {
        self.init { Self.append(unsent: local, to: &$0) }
    }

    /// Takes over what `body` writes.
    init(_ body: (inout ByteWriter) -> Void) {
        var writer = ByteWriter(capacity: 64)
        body(&writer)
        bytes = writer.bytes.copied
    }

    /// Makes it another key, in the room that is there.
    mutating func set(_ order: RawSpan) { bytes.set(order) }

    /// Whether it is empty, as it is where a row has no place.
    var isEmpty: Bool { bytes.isEmpty }

    /// Whether it is the place of a line that only this device knows.
    var isOfDevice: Bool { bytes.count > Self.timeBytes && bytes[Self.timeBytes] == Self.afterServerIDs }

    /// Whether it sorts after every message of its time.
    var isEndOfTime: Bool { bytes.count > Self.timeBytes && bytes[Self.timeBytes] == Self.afterAllIDs }

    /// Whether it has the bytes that every place has.
    var isComplete: Bool { Self.isComplete(bytes.span.bytes) }

    /// The lowest key above this one.
    var next: OrderKey { OrderKey(bytes + [0]) }

    static func < (first: OrderKey, second: OrderKey) -> Bool { first.precedes(second.bytes.span.bytes) }

    /// Whether the place of a row is above this one.
    func precedes(_ order: RawSpan) -> Bool { bytes.span.bytes.precedes(order) }

    /// Whether the place at which a message arrived is above this one; no key is made for it.
    func precedes(received record: RecordView) -> Bool {
        guard isComplete else { return true }
        let own = Self.time(of: bytes.span.bytes)
        let other = Self.time(ofArrival: record)
        guard own == other else { return own < other }
        return bytes.span.bytes.extracting(Self.timeBytes..<bytes.count).precedes(record.serverID)
    }
}

/// The same for keys inside rows' keys.
extension OrderKey {
    /// The bytes of the time, with which every place begins.
    static let timeBytes = 6

    static func isComplete(_ order: RawSpan) -> Bool { order.byteCount >= timeBytes }

    static func time(of order: RawSpan) -> UInt64 {
        guard let high = order.loadBigEndian(at: 0, as: UInt32.self),
            let low = order.loadBigEndian(at: 4, as: UInt16.self)
        else { return 0 }
        return UInt64(high) << 16 | UInt64(low)
    }

    static func isUnsent(_ order: RawSpan) -> Bool { time(of: order) == unsentTime }

    static func append(time: Timestamp, id: RawSpan, to writer: inout ByteWriter) {
        appendTime(UInt64(clamping: time.milliseconds), to: &writer)
        writer.append(id)
    }

    /// The place of a received message about which nothing else is known; `time` is its arrival's.
    @inline(__always)
    static func append(received record: RecordView, at time: UInt64, to writer: inout ByteWriter) {
        appendTime(time, to: &writer)
        writer.append(record.serverID)
    }

    /// The time with which the place begins at which a message arrives from the server.
    @inline(__always)
    static func time(ofArrival record: RecordView) -> UInt64 {
        min(UInt64(clamping: (record.serverTime ?? .unknown).milliseconds), unsentTime)
    }

    private static func append(unsent local: LocalMessageID, to writer: inout ByteWriter) {
        appendTime(unsentTime, to: &writer)
        writer.appendBigEndian(local.rawValue)
    }

    static func appendTime(_ time: UInt64, to writer: inout ByteWriter) {
        let time = min(time, unsentTime)
        writer.appendBigEndian(UInt32(truncatingIfNeeded: time >> 16))
        writer.appendBigEndian(UInt16(truncatingIfNeeded: time))
    }
}

extension RawSpan {
    /// The place in a key that begins with the number of a conversation.
    var order: RawSpan {
        @inline(__always) @_lifetime(copy self)
        get { extracting(MemoryLayout<ConversationNumber>.size..<byteCount) }
    }
}
