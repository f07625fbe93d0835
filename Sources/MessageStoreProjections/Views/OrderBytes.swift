@_spi(Storage) internal import MessageStoreLog

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

    /// Where a message stands in its conversation's order (d2).
    static func append(_ record: RecordView, _ state: MessageState, to writer: inout ByteWriter) {
        if !state.serverID.isEmpty {
            append(time: Timestamp(milliseconds: state.serverTime), id: state.serverID.span.bytes, to: &writer)
        } else if record.type == .messageReceived {
            append(time: record.serverTime ?? .unknown, id: record.serverID, to: &writer)
        } else if record.type == .messageInsertedLocally {
            append(time: record.serverTime ?? .unknown, local: LocalMessageID(record.position.rawValue), to: &writer)
        } else {
            append(unsent: LocalMessageID(record.position.rawValue), to: &writer)
        }
    }

    static func bytes(_ record: RecordView, _ state: MessageState) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        append(record, state, to: &writer)
        return writer.bytes.copied
    }

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
