/// The top of the conversation list as the shipping store last wrote it, to show while a log is still being restored.
public struct FirstPage: Sendable, Hashable, Codable {
    /// A conversation of the list.
    public struct Row: Sendable, Hashable, Codable, Identifiable {
        /// Its key.
        public let key: ConversationKey
        /// The same as ``key``.
        public var id: ConversationKey { key }
        /// The name to show.
        public let displayName: String
        /// The URL of its picture.
        public let avatarURL: String?
        /// Whether it is pinned.
        public let isPinned: Bool
        /// Whether none of its messages notifies.
        public let isMuted: Bool
        /// Its unread messages.
        public let unreadMessages: Int
        /// When the last message was sent; nil where it has none.
        public let lastTime: Timestamp?
        /// Who sent it.
        public let lastSender: String?
        /// Its text, as the list shows it.
        public let lastText: String?

        init(_ conversation: Conversation) {
            (key, displayName) = (conversation.key, conversation.displayName)
            (avatarURL, isPinned, isMuted) = (conversation.avatarURL, conversation.isPinned, conversation.isMuted)
            unreadMessages = conversation.unread.messages
            lastTime = conversation.lastMessage?.time
            lastSender = conversation.lastMessage?.senderName
            lastText = conversation.lastMessage.flatMap { $0.isRecalled ? nil : $0.text }
        }
    }

    /// The account.
    public let account: UserID
    /// The last event that the page shows.
    public let position: Position
    /// The conversations, in the list's order.
    public let conversations: [Row]

    init(of store: MessageStore, count: Int) throws {
        account = store.account
        (position, conversations) = try store.read { views in
            (views.position, try views.conversations(limit: count).elements.map(Row.init))
        }
    }
}
