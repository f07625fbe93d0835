/// A row of another store, as the host read it.
public enum OldRow: Sendable, Hashable {
    /// A conversation.
    case conversation(OldConversation)
    /// A message.
    case message(OldMessage)

    /// The key of the conversation that it is or belongs to.
    public var conversation: ConversationKey {
        switch self {
        case .conversation(let conversation): conversation.key
        case .message(let message): message.conversation
        }
    }
}

/// A conversation as another store knew it; its row should come before the rows of its messages.
///
/// With ``readUpTo`` the messages of others above it are unread; else with ``unreadCount`` the newest ones are. Without
/// both, and for messages that come before their conversation, each message says it (``OldMessage/isRead``).
public struct OldConversation: Sendable, Hashable {
    /// The key.
    public var key: ConversationKey
    /// Name, picture and other fields; not taken over if the new store knows a name already.
    public var fields = ConversationFields()
    /// When something happened in it last.
    public var activity: Timestamp?
    /// Whether it is pinned to the top.
    public var isPinned = false
    /// Whether its notifications are muted.
    public var isMuted = false
    /// Whether it is in the archive.
    public var isArchived = false
    /// Whether it carries the mark "unread".
    public var isMarkedUnread = false
    /// The last message read.
    public var readUpTo: MessageOrder?
    /// How many messages are unread. If ``readUpTo`` is set, it is compared and not recorded.
    public var unreadCount: UInt32?
    /// The unsent text of its input field.
    public var draft: String?
    /// When the draft was written; nil for ``activity``, and without that for now.
    public var draftTime: Timestamp?
    /// How many messages the other store says that it has, to be compared with the rows.
    public var messageCount: Int?
    /// Whether the other store lacks no message between its oldest and its newest one, so that a history provider is not
    /// asked for them again.
    public var isContiguous = false

    /// Creates a conversation of which nothing else is known.
    public init(_ key: ConversationKey) { self.key = key }
}

/// A message as another store knew it.
///
/// One with a server's id is recorded as received from history, whoever sent it. One without is an own message that waits
/// in the outbox if its status is `sending` or `failed`, and else a line that only this device has.
public struct OldMessage: Sendable, Hashable {
    /// Its conversation.
    public var conversation: ConversationKey
    /// The server's id, by which a second run and a later sync know the message.
    public var serverID: ServerMessageID?
    /// The id that the app gave it on this device: the client token of an own message, needed without a server's id.
    public var localID: String?
    /// Who sent it.
    public var sender: UserID
    /// The server's time; `unknown` sorts before all others.
    public var time: Timestamp
    /// The content, as it was last edited.
    public var content: MessageContent
    /// Mentions, and the message that it replies to.
    public var context = MessageContext.none
    /// The sender's name at that time.
    public var senderName: String?
    /// How far it was sent and read, of own messages.
    public var status = MessageStatus.received
    /// Whether this account has read it; nil for what its conversation says, and if that says nothing for yes.
    public var isRead: Bool?
    /// Whether it may count as unread and be the last message.
    public var policy = MessagePolicy.standard
    /// Whether it was recalled for everyone.
    public var isRecalled = false
    /// Whether it was deleted for this account: it is not recorded, and copies of it that come later stay deleted.
    public var isDeleted = false
    /// When its content was last edited; nil if it never was.
    public var editedTime: Timestamp?

    /// Creates a message of which nothing else is known.
    public init(
        in conversation: ConversationKey, from sender: UserID, at time: Timestamp, content: MessageContent,
        serverID: ServerMessageID? = nil, localID: String? = nil
    ) {
        (self.conversation, self.sender, self.time, self.content) = (conversation, sender, time, content)
        (self.serverID, self.localID) = (serverID, localID)
    }
}
