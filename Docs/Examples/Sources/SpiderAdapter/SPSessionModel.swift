import MessageStore

/// A session; what is in it but id and type is read from the store.
struct SPSessionModel: Sendable, Equatable {
    var sessionId: String
    var sessionType: SPSessionType
    var isTop = false
    var unreadCount = 0
    /// The line of the last message.
    var digest: String?

    var key: ConversationKey { ConversationKey(sessionType.kind, sessionId) }
}

extension SPSessionModel {
    init?(_ conversation: Conversation, types: ContentTypeRegistry) {
        guard let type = SPSessionType.allCases.first(where: { $0.kind == conversation.key.kind }) else { return nil }
        self.init(
            sessionId: conversation.key.id, sessionType: type, isTop: conversation.isPinned,
            unreadCount: conversation.unread.messages,
            digest: conversation.lastMessage.flatMap { types.preview(of: $0) })
    }
}
