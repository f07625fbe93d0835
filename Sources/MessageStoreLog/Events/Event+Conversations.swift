/// Short ways to make the common events about conversations, members, profiles and the sync.
extension Event {
    /// This account read a conversation, here or on another device. That a member read is
    /// ``readByPeer(_:by:in:at:counts:origin:)``.
    ///
    /// - Parameters:
    ///   - order: Up to where; nil for everything that the store has.
    ///   - conversation: Which.
    ///   - origin: How the store learnt of it.
    public static func read(
        upTo order: MessageOrder? = nil, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationRead(upTo: order), in: conversation, origin: origin)
    }

    /// A conversation was given the mark "unread", or lost it.
    public static func markedUnread(
        _ isMarked: Bool = true, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationMarkedUnread(isMarked), in: conversation, origin: origin)
    }

    /// The server told how much is unread.
    ///
    /// - Parameters:
    ///   - count: Unread messages up to `order`.
    ///   - mentions: Those of them that mention this account.
    ///   - order: Up to where the server counted.
    ///   - conversation: Where.
    ///   - time: When, by the server's clock.
    ///   - origin: How the store learnt of it.
    public static func unreadCountReported(
        _ count: UInt32, mentions: UInt32 = 0, upTo order: MessageOrder, in conversation: ConversationKey,
        at time: Timestamp, origin: Origin = .live
    ) -> Event {
        Event(
            UnreadCountReported(count, mentions: mentions, upTo: order, at: time), in: conversation, origin: origin)
    }

    /// A conversation was pinned to the top of the list, or no longer is.
    public static func pinned(
        _ isPinned: Bool = true, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationPinned(isPinned), in: conversation, origin: origin)
    }

    /// Notifications of a conversation were muted, or no longer are; muted conversations stay out of the badge.
    public static func muted(
        _ isMuted: Bool = true, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationMuted(isMuted), in: conversation, origin: origin)
    }

    /// The unsent text of a conversation changed; nil removes it.
    public static func draftChanged(_ text: String?, in conversation: ConversationKey) -> Event {
        Event(ConversationDraftChanged(text), in: conversation)
    }

    /// A conversation came to be.
    ///
    /// - Parameters:
    ///   - fields: What is known of it.
    ///   - members: Its first members.
    ///   - conversation: Which.
    ///   - origin: How the store learnt of it.
    public static func conversationCreated(
        _ fields: ConversationFields = ConversationFields(), members: [UserID] = [], in conversation: ConversationKey,
        origin: Origin = .live
    ) -> Event {
        Event(ConversationCreated(fields, members: members), in: conversation, origin: origin)
    }

    /// The server told all that it knows of a conversation.
    ///
    /// - Parameters:
    ///   - fields: What is known of it.
    ///   - members: All its members; nil where the server did not tell them.
    ///   - conversation: Which.
    ///   - origin: How the store learnt of it.
    public static func conversationSnapshot(
        _ fields: ConversationFields, members: [UserID]? = nil, in conversation: ConversationKey,
        origin: Origin = .live
    ) -> Event {
        Event(ConversationSnapshotReceived(fields, members: members), in: conversation, origin: origin)
    }

    /// A conversation was deleted from the list.
    ///
    /// - Parameters:
    ///   - conversation: Which.
    ///   - alsoMessages: Whether its messages go with it.
    ///   - isRemote: Whether the server is to forget it as well; intent for the transport.
    ///   - origin: How the store learnt of it.
    public static func conversationDeleted(
        _ conversation: ConversationKey, alsoMessages: Bool = false, isRemote: Bool = false, origin: Origin = .local
    ) -> Event {
        Event(
            ConversationDeleted(alsoMessages: alsoMessages, isRemote: isRemote), in: conversation, origin: origin)
    }

    /// The messages of a conversation were cleared.
    ///
    /// - Parameters:
    ///   - order: Up to where; nil for all that the store has.
    ///   - conversation: Where.
    ///   - isRemote: Whether the server is to forget them as well; intent for the transport.
    ///   - origin: How the store learnt of it.
    public static func historyCleared(
        upTo order: MessageOrder? = nil, in conversation: ConversationKey, isRemote: Bool = false,
        origin: Origin = .local
    ) -> Event {
        Event(HistoryCleared(upTo: order, isRemote: isRemote), in: conversation, origin: origin)
    }

    /// A provider's or server's profiles of users.
    public static func profilesFetched(_ profiles: [Profile], origin: Origin = .local) -> Event {
        Event(ProfilesFetched(profiles), origin: origin)
    }
}
