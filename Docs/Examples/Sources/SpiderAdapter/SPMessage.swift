import Foundation
import MessageStore

/// How far an own message is sent.
enum SPMessageSentStatus: Sendable {
    case sending, failed, sent
}

/// A message as the app gets it, or gives it to be sent.
struct SPMessage: Sendable {
    /// Its id in this store; 0 where it is not stored.
    var messageId: UInt64 = 0
    /// The server's id; empty until the server has it.
    var uniqueId = ""
    var sessionId = ""
    var sessionType = SPSessionType.single
    /// nil where its type is not registered, or its bytes do not fit the type.
    var content: (any SPMessageContentProtocol)?
    var messageType = ""
    var senderId = ""
    var isOutgoing = false
    var sentStatus = SPMessageSentStatus.sent
    var sentTime: Int64 = 0
    var receivedTime: Int64 = 0
    var digest: String?

    /// A message to be sent.
    init(_ content: some SPMessageContentProtocol) {
        self.content = content
        messageType = type(of: content).getMessageType()
    }
}

extension SPMessage {
    /// A stored message; nil of a session that the SDK has no number for.
    init?(_ message: Message, types: ContentTypeRegistry) {
        guard let type = SPSessionType.allCases.first(where: { $0.kind == message.conversation.kind }) else {
            return nil
        }
        self.init(message.content, types: types)
        messageId = message.id.rawValue
        uniqueId = message.serverID?.rawValue ?? ""
        (sessionId, sessionType) = (message.conversation.id, type)
        (senderId, isOutgoing) = (message.sender.rawValue, message.isOutgoing)
        sentStatus = message.status == .sending ? .sending : message.status == .failed ? .failed : .sent
        (sentTime, receivedTime) = (message.time.milliseconds, message.recordedTime.milliseconds)
        digest = types.preview(of: message)
    }

    /// A message as it came.
    init(_ event: Event, types: ContentTypeRegistry) {
        guard let message = event.payload as? MessageReceived, let key = event.conversation else {
            self.init(MessageContent(type: ""), types: types)
            return
        }
        self.init(message.content, types: types)
        uniqueId = message.serverID.rawValue
        (sessionId, sessionType) = (key.id, key.kind == .group ? .group : .single)
        (senderId, sentTime) = (message.sender.rawValue, message.sentTime.milliseconds)
        digest = types.preview(of: message.content)
    }

    private init(_ content: MessageContent, types: ContentTypeRegistry) {
        messageType = content.type.rawValue
        if case .payload(let payload) = types.decode(content) {
            self.content = (payload as? any SPDecodedPayload)?.decoded
        }
    }
}
