import MessageStore

/// A message, on the wire and as the app gets it.
struct RCMessage: Sendable, Equatable {
    var conversationType = RCConversationType.ConversationType_GROUP
    var targetId: String
    var senderUserId: String
    var messageUId: String
    var sentTime: Int64
    var content: RCMessageContent
    var receivedStatusInfo = RCReceivedStatusInfo()
}

extension RCMessage {
    /// The message as an event; whether it came live or from a backlog is the event's origin.
    func event(origin: Origin) throws -> Event {
        .received(
            ServerMessageID(messageUId), from: UserID(senderUserId), in: conversationType.key(targetId),
            at: Timestamp(milliseconds: sentTime), content: try content.stored(), flags: receivedStatusInfo.flags,
            origin: origin)
    }

    /// The message as it is stored; nil where the SDK has no number for the kind of its conversation.
    init?(_ message: Message, types: ContentTypeRegistry) {
        guard let type = RCConversationType(message.conversation.kind) else { return nil }
        self.init(
            conversationType: type, targetId: message.conversation.id, senderUserId: message.sender.rawValue,
            messageUId: message.serverID?.rawValue ?? "", sentTime: message.time.milliseconds,
            content: RCMessageContent(message.content, types: types),
            receivedStatusInfo: RCReceivedStatusInfo(message))
    }
}
