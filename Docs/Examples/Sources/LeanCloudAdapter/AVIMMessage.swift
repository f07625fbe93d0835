import MessageStore

/// A message: with words alone, or of a type (``AVIMTypedMessage``).
class AVIMMessage {
    /// The type under which messages without one are stored.
    static let contentType: ContentType = "leancloud-message"

    let content: String
    fileprivate(set) var messageId = ""
    fileprivate(set) var clientId = ""
    fileprivate(set) var conversationId = ""
    fileprivate(set) var sendTimestamp: Int64 = 0
    fileprivate(set) var deliveredTimestamp: Int64?
    fileprivate(set) var status = AVIMMessageStatus.none
    fileprivate(set) var isOutgoing = true
    /// The id in the store, once it is sent or received.
    var localId: LocalMessageID?

    init(content: String) { self.content = content }

    /// What is stored.
    func stored() throws -> MessageContent { MessageContent(type: Self.contentType, text: content) }

    /// A stored message: a typed one where its type has a number.
    static func make(_ message: Message, types: ContentTypeRegistry) -> AVIMMessage {
        let made = make(message.content, types: types)
        made.update(message)
        return made
    }

    /// A message that came and is not stored.
    static func make(_ message: MessageReceived, in conversation: ConversationKey, types: ContentTypeRegistry)
        -> AVIMMessage
    {
        let made = make(message.content, types: types)
        (made.messageId, made.clientId) = (message.serverID.rawValue, message.sender.rawValue)
        (made.conversationId, made.isOutgoing) = (conversation.id, false)
        made.sendTimestamp = message.sentTime.milliseconds
        return made
    }

    private static func make(_ content: MessageContent, types: ContentTypeRegistry) -> AVIMMessage {
        guard let mediaType = AVIMMessageMediaType.number(of: content.type) else {
            return AVIMMessage(content: content.text ?? "")
        }
        return AVIMTypedMessage(content, mediaType: mediaType, types: types)
    }

    /// Brings the message to what the store knows of it.
    func update(_ message: Message) {
        localId = message.id
        (messageId, clientId) = (message.serverID?.rawValue ?? "", message.sender.rawValue)
        (conversationId, isOutgoing) = (message.conversation.id, message.isOutgoing)
        (sendTimestamp, status) = (message.time.milliseconds, AVIMMessageStatus(message.status))
        deliveredTimestamp = message.deliveredTime?.milliseconds
    }
}
