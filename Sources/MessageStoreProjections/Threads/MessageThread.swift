/// A message with the replies that name it.
public struct MessageThread: Sendable, Hashable, Identifiable {
    /// The server's id of the message that the replies name.
    public let root: ServerMessageID
    /// That message; nil where the store does not have it, or does not show it.
    public let rootMessage: Message?
    /// How many replies there are: those that are shown and were not recalled; at least 1.
    public let replyCount: Int
    /// The last of these.
    public let lastReply: Message
    /// How many of these are unread: they count, and are above the thread's read marker and that of the conversation.
    public let unreadCount: Int
    /// Up to where the thread was read by itself; nil where it was not.
    public let readUpTo: MessageOrder?

    /// The place of the last reply when this was read; nil for a thread that a host made.
    let place: OrderKey?

    /// The server's id of the message that the replies name.
    public var id: ServerMessageID { root }
}

extension MessageThread {
    /// Creates a thread, for previews and tests.
    public init(
        root: ServerMessageID, rootMessage: Message? = nil, replyCount: Int = 1, lastReply: Message,
        unreadCount: Int = 0, readUpTo: MessageOrder? = nil
    ) {
        self.init(
            root: root, rootMessage: rootMessage, replyCount: replyCount, lastReply: lastReply,
            unreadCount: unreadCount, readUpTo: readUpTo, place: nil)
    }
}
