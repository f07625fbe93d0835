@_spi(Storage) public import MessageStoreLog

extension Message {
    /// The text, if the message has one and was neither recalled nor redacted.
    public var text: String? { isRecalled ? nil : content.text }

    /// Its place in the conversation's order, for read markers and anchors; nil until the server accepts the message.
    ///
    /// A line that only this device has stands behind the server's messages of its time.
    public var order: MessageOrder? {
        guard isLocal || serverID != nil else { return nil }
        return MessageOrder(time: isTimeProvisional ? .unknown : time, id: serverID)
    }
}

extension MessageOrder {
    /// The place that order bytes stand for; nil for none, and for places of unsent messages.
    init?(orderBytes bytes: [UInt8]) {
        guard OrderBytes.isOrder(bytes.span.bytes), !OrderBytes.isUnsent(bytes.span.bytes) else { return nil }
        let id = bytes.dropFirst(6)
        // What only this device shows stands after every message of its time.
        let isBehindAll = id.first.map { $0 >= OrderBytes.afterServerIDs } ?? true
        self.init(
            time: Timestamp(milliseconds: Int64(OrderBytes.time(of: bytes.span.bytes))),
            id: isBehindAll ? nil : ServerMessageID(String(decoding: id, as: UTF8.self)))
    }
}
