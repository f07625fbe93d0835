@_spi(Storage) internal import MessageStoreLog

/// Makes the keys of view rows: fixed-width big-endian numbers, so that byte order is the order wanted.
enum RowKey {
    static func number<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
    }

    static func pair(_ first: UInt32, _ second: UInt32) -> [UInt8] { number(pairNumber(first, second)) }

    /// The number whose key is that of the pair.
    static func pairNumber(_ first: UInt32, _ second: UInt32) -> UInt64 { UInt64(first) << 32 | UInt64(second) }

    /// A key after all timeline keys of `conversation`.
    static func end(of conversation: UInt32) -> [UInt8] {
        conversation == .max ? [UInt8](repeating: 0xFF, count: 20) : number(conversation + 1)
    }

    /// After every order: none begins with so many 0xFF.
    static let afterAllOrders = [UInt8](repeating: 0xFF, count: 16)
}

/// The order of messages within a conversation, as bytes: 48 bits of server time, then the server id (d2).
///
/// Messages that no server knows stand after all others, by local id: their time is ``unsentTime``.
enum OrderBytes {
    static let unsentTime: UInt64 = 0xFFFF_FFFF_FFFF
    /// Greater than every byte of UTF-8: stands after every id of its time.
    static let afterAllIDs: UInt8 = 0xFF
    /// Greater than every byte of UTF-8: lines of this device alone stand behind the server's of their time.
    static let afterServerIDs: UInt8 = 0xFE

    /// Stands after every order, those of unsent messages included.
    static let aboveAll = [UInt8](repeating: 0xFF, count: 16)

    static func append(time: Timestamp, id: RawSpan, to writer: inout ByteWriter) {
        appendTime(UInt64(clamping: time.milliseconds), to: &writer)
        writer.append(id)
    }

    static func append(time: Timestamp, local: LocalMessageID, to writer: inout ByteWriter) {
        appendTime(UInt64(clamping: time.milliseconds), to: &writer)
        writer.append(afterServerIDs)
        writer.appendBigEndian(local.rawValue)
    }

    static func append(unsent local: LocalMessageID, to writer: inout ByteWriter) {
        appendTime(unsentTime, to: &writer)
        writer.appendBigEndian(local.rawValue)
    }

    static func bytes(_ order: MessageOrder) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        appendTime(UInt64(clamping: order.time.milliseconds), to: &writer)
        if let id = order.id { writer.append(id.rawValue) } else { writer.append(afterAllIDs) }
        return writer.bytes.copied
    }

    /// The bytes of the time, with which every order begins.
    private static let timeBytes = 6

    /// Whether bytes are long enough to be an order.
    static func isOrder(_ bytes: RawSpan) -> Bool { bytes.byteCount >= timeBytes }

    static func time(of order: RawSpan) -> UInt64 {
        guard let high = order.loadBigEndian(at: 0, as: UInt32.self),
            let low = order.loadBigEndian(at: 4, as: UInt16.self)
        else { return 0 }
        return UInt64(high) << 16 | UInt64(low)
    }

    static func isUnsent(_ order: RawSpan) -> Bool { time(of: order) == unsentTime }

    private static func appendTime(_ time: UInt64, to writer: inout ByteWriter) {
        let time = min(time, unsentTime)
        writer.appendBigEndian(UInt32(truncatingIfNeeded: time >> 16))
        writer.appendBigEndian(UInt16(truncatingIfNeeded: time))
    }
}
