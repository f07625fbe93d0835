@_spi(Storage) internal import MessageStoreLog

extension RecordView {
    /// Whether a queued message has the type and content of this one. A server's copy carries what is not queued, and
    /// lacks the text of the notification.
    func saysSame(as queued: RecordView) -> Bool {
        guard contentType == queued.contentType else { return false }
        if type == .messageSendQueued { return content.isEqual(to: queued.content) }
        let parts = MessageContent.Fields.self
        return [parts.text.number, parts.data.number, parts.attributes.number].allSatisfy { part in
            FieldReader(content).first(part)?.bytes.copied == FieldReader(queued.content).first(part)?.bytes.copied
        }
    }

    /// A time by a server's clock that looks like seconds: the event's own, or that of the place up to which something
    /// is read.
    var timeInSeconds: Int64? {
        if let time = serverTime?.milliseconds, AdmissionDoubts.seconds.contains(time) { return time }
        switch type {
        case .conversationRead: return timeInSeconds(ConversationRead.Fields.upTo.number)
        case .threadRead: return timeInSeconds(ThreadRead.upTo.field.number)
        case .unreadCountReported: return timeInSeconds(UnreadCountReported.upTo.field.number)
        case .conversationSummaryReceived:
            return timeInSeconds(ConversationSummaryReceived.upTo.field.number)
                ?? timeInSeconds(ConversationSummaryReceived.readUpTo.field.number)
        case .messageDelivered, .messageReadByPeer, .readReceiptSent:
            return timeInSeconds(ReceiptScope.Fields.upTo.number)
        default: return nil
        }
    }

    private func timeInSeconds(_ field: UInt32) -> Int64? {
        guard let time = fields.firstNumber(field).map({ Int64(bitPattern: $0) }),
            AdmissionDoubts.seconds.contains(time)
        else { return nil }
        return time
    }

    /// The position that `identity` names by this record: its own, or that of the message it acknowledges or repeats.
    func message(claiming identity: Identity) -> Position? {
        if claims(identity) { return position }
        guard identity.kind == .serverID, identity.scope == conversation, identity.bytes.isEqual(to: serverID) else {
            return nil
        }
        return renamedMessage.map { Position($0.rawValue) }
    }
}
