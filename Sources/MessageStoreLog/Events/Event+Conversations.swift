/// Short ways to make the common events about conversations, members, profiles and the sync.
extension Event {
    /// This account read a conversation, here or on another device. For a member who read, use
    /// ``readByPeer(_:by:in:at:counts:origin:)``.
    ///
    /// - Parameters:
    ///   - order: The last message read; nil for everything that the store has.
    ///   - conversation: The conversation.
    ///   - origin: How the store learned of it.
    public static func read(
        upTo order: MessageOrder? = nil, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationRead(upTo: order), in: conversation, origin: origin)
    }

    /// A conversation was marked as unread, or the mark was removed.
    public static func markedUnread(
        _ isMarked: Bool = true, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationMarkedUnread(isMarked), in: conversation, origin: origin)
    }

    /// The server reported how many messages are unread.
    ///
    /// As soon as the messages that it counts are known, the number becomes a read place just below them. The new place
    /// may be lower than the place that was read before, unless that was read after the report: a server's count can
    /// move the read place back.
    ///
    /// - Parameters:
    ///   - count: Unread messages up to `order`.
    ///   - mentions: Messages among them that mention this account.
    ///   - order: The last message that the server counted; nil if it does not report that.
    ///   - conversation: The conversation.
    ///   - time: When, by the server's clock; nil if it does not report that.
    ///   - origin: How the store learned of it.
    public static func unreadCountReported(
        _ count: UInt32, mentions: UInt32 = 0, upTo order: MessageOrder? = nil, in conversation: ConversationKey,
        at time: Timestamp? = nil, origin: Origin = .live
    ) -> Event {
        Event(UnreadCountReported(count, mentions: mentions, upTo: order, at: time), in: conversation, origin: origin)
    }

    /// A conversation was pinned to the top of the list, or no longer is.
    public static func pinned(
        _ isPinned: Bool = true, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationPinned(isPinned), in: conversation, origin: origin)
    }

    /// A conversation was put into the archive, or taken out of it.
    public static func archived(
        _ isArchived: Bool = true, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationArchived(isArchived), in: conversation, origin: origin)
    }

    /// Notifications of a conversation were muted, or no longer are; muted conversations do not count for the badge.
    ///
    /// - Parameters:
    ///   - isMuted: Whether they are muted.
    ///   - until: Until when, by the server's clock; nil for good.
    ///   - conversation: The conversation.
    ///   - origin: How the store learned of it.
    public static func muted(
        _ isMuted: Bool = true, until: Timestamp? = nil, in conversation: ConversationKey, origin: Origin = .local
    ) -> Event {
        Event(ConversationMuted(isMuted, until: until), in: conversation, origin: origin)
    }

    /// The unsent text of a conversation changed; nil removes it.
    public static func draftChanged(_ text: String?, in conversation: ConversationKey) -> Event {
        Event(ConversationDraftChanged(text), in: conversation)
    }

    /// The unsent message of a conversation, or of a thread in it, changed; nil removes it.
    public static func draftChanged(
        to draft: Draft?, in conversation: ConversationKey, thread: ServerMessageID? = nil
    ) -> Event {
        Event(ConversationDraftChanged(draft: draft, thread: thread), in: conversation)
    }

    /// Messages of a conversation disappear after some time from now on, or no longer.
    ///
    /// - Parameters:
    ///   - timer: The timer; `MessageTimer.off` if messages stay.
    ///   - conversation: The conversation.
    ///   - time: When this was chosen, on whichever device; nil for the time of recording.
    ///   - origin: How the store learned of it.
    public static func timerChanged(
        _ timer: MessageTimer, in conversation: ConversationKey, at time: Timestamp? = nil, origin: Origin = .local
    ) -> Event {
        Event(ConversationTimerChanged(timer, at: time), in: conversation, origin: origin)
    }

    /// Members joined a conversation.
    ///
    /// - Parameters:
    ///   - members: Who joined.
    ///   - conversation: The conversation.
    ///   - kind: How they joined.
    ///   - actor: Who added them; nil for themselves.
    ///   - time: When, by the server's clock.
    ///   - id: The event's id, if the server gives one; recording it again then changes nothing.
    ///   - origin: How the store learned of it.
    public static func membersAdded(
        _ members: [UserID], to conversation: ConversationKey, kind: JoinKind = .joined, by actor: UserID? = nil,
        at time: Timestamp? = nil, id: EventID? = nil, origin: Origin = .live
    ) -> Event {
        Event(MembersAdded(members, kind: kind, by: actor), in: conversation, id: id, origin: origin, serverTime: time)
    }

    /// Members left a conversation.
    ///
    /// - Parameters:
    ///   - members: Who left.
    ///   - conversation: The conversation.
    ///   - kind: How they left.
    ///   - actor: Who removed them; nil for themselves.
    ///   - time: When, by the server's clock.
    ///   - id: The event's id, if the server gives one; recording it again then changes nothing.
    ///   - origin: How the store learned of it.
    public static func membersRemoved(
        _ members: [UserID], from conversation: ConversationKey, kind: LeaveKind = .left, by actor: UserID? = nil,
        at time: Timestamp? = nil, id: EventID? = nil, origin: Origin = .live
    ) -> Event {
        Event(
            MembersRemoved(members, kind: kind, by: actor), in: conversation, id: id, origin: origin, serverTime: time)
    }

    /// A conversation was created.
    ///
    /// - Parameters:
    ///   - fields: The known fields.
    ///   - members: Its first members.
    ///   - conversation: The conversation.
    ///   - origin: How the store learned of it.
    public static func conversationCreated(
        _ fields: ConversationFields = ConversationFields(), members: [UserID] = [], in conversation: ConversationKey,
        origin: Origin = .live
    ) -> Event {
        Event(ConversationCreated(fields, members: members), in: conversation, origin: origin)
    }

    /// The server reported everything it knows about a conversation: a field that is nil is removed. A host that knows
    /// some fields alone reports them with ``conversationUpdated(_:by:in:at:id:origin:)``.
    ///
    /// - Parameters:
    ///   - fields: All fields; nil means that the conversation has none, and for the kind that it is the key's.
    ///   - members: All its members, which replace the known ones; nil if the server did not report them.
    ///   - conversation: The conversation.
    ///   - origin: How the store learned of it.
    public static func conversationSnapshot(
        _ fields: ConversationFields, members: [UserID]? = nil, in conversation: ConversationKey,
        origin: Origin = .live
    ) -> Event {
        Event(ConversationSnapshotReceived(fields, members: members), in: conversation, origin: origin)
    }

    /// Some fields of a conversation are known, or changed; a field that is nil stays as it is.
    ///
    /// - Parameters:
    ///   - fields: The known fields.
    ///   - actor: Who changed them; nil if nobody did, or the server does not report it.
    ///   - conversation: The conversation.
    ///   - time: When, by the server's clock.
    ///   - id: The event's id, if the server gives one; recording it again then changes nothing.
    ///   - origin: How the store learned of it.
    public static func conversationUpdated(
        _ fields: ConversationFields, by actor: UserID? = nil, in conversation: ConversationKey,
        at time: Timestamp? = nil, id: EventID? = nil, origin: Origin = .live
    ) -> Event {
        Event(ConversationUpdated(fields, by: actor), in: conversation, id: id, origin: origin, serverTime: time)
    }

    /// A conversation was deleted from the list.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - alsoMessages: Whether its messages are cleared as well.
    ///   - isRemote: Whether the transport should delete it on the server as well.
    ///   - origin: How the store learned of it.
    public static func conversationDeleted(
        _ conversation: ConversationKey, alsoMessages: Bool = false, isRemote: Bool = false, origin: Origin = .local
    ) -> Event {
        Event(ConversationDeleted(alsoMessages: alsoMessages, isRemote: isRemote), in: conversation, origin: origin)
    }

    /// The messages of a conversation were cleared.
    ///
    /// - Parameters:
    ///   - order: The last message cleared; nil for all that the store has.
    ///   - conversation: The conversation.
    ///   - isRemote: Whether the transport should delete them on the server as well.
    ///   - origin: How the store learned of it.
    public static func historyCleared(
        upTo order: MessageOrder? = nil, in conversation: ConversationKey, isRemote: Bool = false,
        origin: Origin = .local
    ) -> Event {
        Event(HistoryCleared(upTo: order, isRemote: isRemote), in: conversation, origin: origin)
    }
}

/// Short ways to make the common events of the account as a whole, which name no conversation.
extension Event {
    /// A provider's or server's profiles of users.
    public static func profilesFetched(_ profiles: [Profile], origin: Origin = .local) -> Event {
        Event(ProfilesFetched(profiles), origin: origin)
    }

    /// The connection to the server changed. `MessageStore.sync` records the beginning of one.
    ///
    /// - Parameters:
    ///   - state: The state from now on.
    ///   - code: The transport's code; 0 for none.
    public static func sessionStateChanged(_ state: SessionState, code: Int32 = 0) -> Event {
        Event(SessionStateChanged(state, code: code))
    }

    /// The transport's place in the server's stream moved. Packages carry it in `OfflinePackage.cursor`.
    ///
    /// - Parameters:
    ///   - name: The name of the stream.
    ///   - value: The place, in the transport's own form.
    public static func syncCursorAdvanced(_ name: String, to value: [UInt8]) -> Event {
        Event(SyncCursorAdvanced(name: name, value: value))
    }

    /// The server answered a change that was made on this device, or the change will not be sent.
    ///
    /// ```swift
    /// for change in try await store.read({ try $0.pendingChanges() }) {
    ///     try await server.apply(change.event)
    ///     try await store.record(.pendingChangeUpdated(change.id, .confirmed))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - change: The position of the event that waits.
    ///   - status: The outcome.
    ///   - code: The transport's error code if the status is `failed`.
    public static func pendingChangeUpdated(
        _ change: Position, _ status: PendingChangeStatus, code: Int32 = 0
    ) -> Event {
        Event(PendingChangeUpdated(change, status, code: code))
    }
}
