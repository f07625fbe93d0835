@_spi(Storage) public import MessageStoreLog

extension Message {
    /// The text, if the message has one and was neither recalled nor redacted.
    public var text: String? { isRecalled ? nil : content.text }

    /// Its place in the conversation's order, for read markers and anchors; nil until the server's time of the message
    /// is known.
    ///
    /// A message that only this device has sorts after the server's messages of its time.
    public var order: MessageOrder? {
        guard isLocal || serverID != nil && !isTimeProvisional else { return nil }
        return MessageOrder(time: isTimeProvisional ? .unknown : time, id: serverID)
    }
}

extension MessageOrder {
    /// The place of a key; nil for none, and for places of unsent messages.
    init?(_ key: OrderKey) {
        let bytes = key.bytes.span.bytes
        guard key.isComplete, !OrderKey.isUnsent(bytes) else { return nil }
        let id = bytes.extracting(OrderKey.timeBytes..<bytes.byteCount)
        // Messages that only this device shows come after every message of their time.
        let isBehindAll = id.load(at: 0, as: UInt8.self).map { $0 >= OrderKey.afterServerIDs } ?? true
        self.init(
            time: Timestamp(milliseconds: Int64(OrderKey.time(of: bytes))),
            id: isBehindAll ? nil : ServerMessageID(id.string))
    }
}
