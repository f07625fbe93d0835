extension MessageStore {
    /// A page of the conversation list, live.
    ///
    /// For a list view that animates: `observeConversations().updates(of: \.elements)`.
    /// Profiles and teams that it shows and that need a fetch are asked for, as by ``requestMissingInfo(inList:)``.
    ///
    /// - Parameters:
    ///   - kinds: Only conversations of these kinds; nil for all.
    ///   - archived: Whether conversations in the archive are listed.
    ///   - limit: The maximum number of conversations from the top of the list, 1 to 1000.
    ///   - policy: When to refresh.
    /// - Returns: See ``LiveQuery``; a refresh costs as much as `Views.conversations`.
    public func observeConversations(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .excluded, limit: Int = 20,
        policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<Page<Conversation>> {
        observe(policy: policy, showing: { ShownInfo(in: $0) }) {
            try $0.conversations(kinds: kinds, archived: archived, limit: limit)
        }
    }

    /// The unread totals of all conversations, live.
    ///
    /// - Parameters:
    ///   - kinds: Only conversations of these kinds; nil for all but chat rooms.
    ///   - archived: Whether conversations in the archive count.
    ///   - includesMuted: Whether muted conversations count. A badge leaves them out.
    ///   - policy: When to refresh.
    /// - Returns: See ``LiveQuery``; a refresh costs as much as `Views.unreadTotals`.
    public func observeUnreadTotals(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .included, includesMuted: Bool = false,
        policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<UnreadTotals> {
        observe(policy: policy) {
            try $0.unreadTotals(kinds: kinds, archived: archived, includesMuted: includesMuted)
        }
    }

    /// The unread totals of the conversations for which a condition holds, live; for a folder, observe
    /// `Views.unreadTotals(inFolder:)`.
    ///
    /// - Parameters:
    ///   - condition: The condition of the conversations.
    ///   - includesMuted: Whether muted conversations count.
    ///   - policy: When to refresh.
    /// - Returns: See ``LiveQuery``; a refresh costs as much as `Views.unreadTotals(matching:includesMuted:)`.
    public func observeUnreadTotals(
        matching condition: ConversationCondition, includesMuted: Bool = false, policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<UnreadTotals> {
        observe(policy: policy) { try $0.unreadTotals(matching: condition, includesMuted: includesMuted) }
    }

    /// The folders of the conversation list, live.
    ///
    /// - Parameter policy: When to refresh.
    /// - Returns: See ``LiveQuery``; a refresh costs as much as `Views.folders`.
    public func observeFolders(policy: RefreshPolicy = .perPackage) -> LiveQuery<[ConversationFolder]> {
        observe(policy: policy) { try $0.folders() }
    }

    /// A window of a conversation's timeline, live.
    ///
    /// For a list view that animates: `observeTimeline(of: group).updates(of: \.elements)`.
    /// Profiles of senders that need a fetch are asked for, as by ``requestMissingInfo(inTimeline:)``.
    ///
    /// - Parameters:
    ///   - conversation: Whose timeline.
    ///   - part: The part; an anchor that is deleted while observed ends the iteration with `notFound`.
    ///   - types: Only messages of these types; nil for all.
    ///   - limit: The maximum number of messages, 1 to 1000.
    ///   - policy: When to refresh.
    /// - Returns: See ``LiveQuery``; a refresh costs as much as `Views.timeline`.
    public func observeTimeline(
        of conversation: ConversationKey, _ part: TimelinePart = .latest, types: Set<ContentType>? = nil,
        limit: Int = 20, policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<TimelinePage> {
        observe(policy: policy, showing: { ShownInfo(in: $0) }) {
            try $0.timeline(of: conversation, part, types: types, limit: limit)
        }
    }

    /// A page of a timeline that a query makes, live; asks the providers as `observeTimeline` does.
    package func observeTimelinePage(
        _ query: @escaping @Sendable (borrowing Views) throws -> TimelinePage
    ) -> LiveQuery<TimelinePage> {
        observe(policy: .perPackage, showing: { ShownInfo(in: $0) }, query)
    }

    /// The known profile of a user, live; asks the provider in the background whenever that is nothing or stale, and
    /// again if that failed (see ``ProfileProvider``).
    ///
    /// - Parameters:
    ///   - user: Whose profile.
    ///   - policy: When to refresh.
    /// - Returns: See ``LiveQuery``; a refresh is a few point reads.
    public func observeProfile(_ user: UserID, policy: RefreshPolicy = .perPackage) -> LiveQuery<Cached<Profile>> {
        observe(policy: policy, showing: { _ in ShownInfo(users: [user]) }) { try $0.profile(user) }
    }

    /// The known info of a team, live; asks the provider in the background whenever that is nothing or stale, and again
    /// if that failed (see ``TeamProvider``).
    ///
    /// - Parameters:
    ///   - team: The team.
    ///   - policy: When to refresh.
    /// - Returns: See ``LiveQuery``; a refresh is a few point reads.
    public func observeTeam(_ team: ConversationKey, policy: RefreshPolicy = .perPackage) -> LiveQuery<Cached<TeamInfo>>
    {
        observe(policy: policy, showing: { _ in ShownInfo(teams: [team]) }) { try $0.team(team) }
    }

    /// How far the current or last offline sync has come, live.
    ///
    /// - Parameter policy: When to refresh.
    /// - Returns: See ``LiveQuery``; a refresh is one point read.
    public func observeSyncProgress(policy: RefreshPolicy = .perPackage) -> LiveQuery<SyncProgress> {
        observe(policy: policy) { try $0.syncProgress() }
    }
}
