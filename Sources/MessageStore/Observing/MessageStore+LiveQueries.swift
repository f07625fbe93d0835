extension MessageStore {
    /// A page of the conversation list, live.
    ///
    /// For a list view that animates: `observeConversations().updates(of: \.conversations)`.
    ///
    /// - Parameters:
    ///   - kinds: Only conversations of these kinds; nil for all.
    ///   - limit: 1 to 1000; conversations at the most, from the top of the list.
    ///   - policy: When to look again.
    /// - Returns: See ``LiveQuery``; a refresh costs what `Views.conversations` does.
    public func observeConversations(
        kinds: Set<ConversationKind>? = nil, limit: Int = 50, policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<ConversationPage> {
        observe(policy: policy) { try $0.conversations(kinds: kinds, limit: limit) }
    }

    /// What is unread over all conversations, live.
    ///
    /// - Parameters:
    ///   - kinds: Only conversations of these kinds; nil for all but chat rooms.
    ///   - includesMuted: Whether muted conversations count. A badge leaves them out.
    ///   - policy: When to look again.
    /// - Returns: See ``LiveQuery``; a refresh costs what `Views.unreadTotals` does.
    public func observeUnreadTotals(
        kinds: Set<ConversationKind>? = nil, includesMuted: Bool = false, policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<UnreadTotals> {
        observe(policy: policy) { try $0.unreadTotals(kinds: kinds, includesMuted: includesMuted) }
    }

    /// A window of a conversation's timeline, live.
    ///
    /// For a list view that animates: `observeTimeline(of: group).updates(of: \.messages)`.
    ///
    /// - Parameters:
    ///   - conversation: Whose timeline.
    ///   - part: Which part; an anchor that is deleted while observed ends the iteration with `notFound`.
    ///   - types: Only messages of these types; nil for all.
    ///   - limit: 1 to 1000; messages at the most.
    ///   - policy: When to look again.
    /// - Returns: See ``LiveQuery``; a refresh costs what `Views.timeline` does.
    public func observeTimeline(
        of conversation: ConversationKey, _ part: TimelinePart = .latest, types: Set<ContentType>? = nil,
        limit: Int = 20, policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<TimelinePage> {
        observe(policy: policy) { try $0.timeline(of: conversation, part, types: types, limit: limit) }
    }

    /// What is known of a user, live; asks the provider in the background whenever that is nothing or stale.
    ///
    /// - Parameters:
    ///   - user: Whose profile.
    ///   - policy: When to look again.
    /// - Returns: See ``LiveQuery``; a refresh is a few point reads.
    public func observeProfile(_ user: UserID, policy: RefreshPolicy = .perPackage) -> LiveQuery<CachedProfile> {
        observe(policy: policy) { views in
            let known = try views.profile(user)
            if known.needsFetch, user.isRecordable { self.profileFetcher.request([user], for: self) }
            return known
        }
    }

    /// How far the current or last offline sync has come, live.
    ///
    /// - Parameter policy: When to look again.
    /// - Returns: See ``LiveQuery``; a refresh is one point read.
    public func observeSyncProgress(policy: RefreshPolicy = .perPackage) -> LiveQuery<SyncProgress> {
        observe(policy: policy) { try $0.syncProgress() }
    }
}
