@_spi(Storage) public import MessageStoreLog

extension Message {
    /// The text, if the message has one and was neither recalled nor redacted.
    public var text: String? { content.text }

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
        guard key.isComplete, key.time != OrderKey.unsentTime else { return nil }
        self.init(
            time: Timestamp(milliseconds: Int64(key.time)),
            id: key.serverID.map { ServerMessageID(String(decoding: $0, as: UTF8.self)) })
    }
}
