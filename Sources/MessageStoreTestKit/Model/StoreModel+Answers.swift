public import MessageStore

extension StoreModel {
    /// A message as a query answers it, in a form that can be made and compared.
    public struct ShownMessage: Hashable, Sendable {
        /// Its id in the store.
        public var id: LocalMessageID
        /// The server's id, once known.
        public var serverID: ServerMessageID?
        /// The token that its sender's device gave it.
        public var clientToken: ClientToken?
        /// Who sent it.
        public var sender: UserID
        /// Whether it is the account's own.
        public var isOutgoing: Bool
        /// The server's time, else the recorded one.
        public var time: Timestamp
        /// Whether the server's time is not known.
        public var isTimeProvisional: Bool
        /// How far it has come.
        public var status: MessageStatus
        /// The transport's error while the status is `failed`; else 0.
        public var failureCode: Int32?
        /// When it was first delivered.
        public var deliveredTime: Timestamp?
        /// When it was first read.
        public var readTime: Timestamp?
        /// What it says now.
        public var content: MessageContent
        /// Whether its content was replaced.
        public var isModified: Bool
        /// Whether it was taken back.
        public var isRecalled: Bool
        /// What the user did with it.
        public var flags: MessageFlags
        /// Whether the user has read it; nil for the account's own.
        public var isRead: Bool?
        /// How far the transfer of its file has come.
        public var attachments: [UInt8: AttachmentState]
        /// Whether only this device knows it.
        public var isLocal: Bool
        /// Whether a filter's replacement is shown.
        public var isReplaced: Bool
    }

    /// A conversation as a query answers it, in a form that can be made and compared.
    public struct ShownConversation: Hashable, Sendable {
        /// Which conversation.
        public var key: ConversationKey
        /// The service's fields, with the kind that it is of.
        public var fields: ConversationFields
        /// The name to show.
        public var displayName: String
        /// Whom it is with, where it is of two people.
        public var peer: UserID?
        /// Whether it is pinned.
        public var isPinned: Bool
        /// Which messages notify.
        public var level: NotificationLevel
        /// Until when.
        public var mutedUntil: Timestamp?
        /// Whether it is in the archive.
        public var isArchived: Bool
        /// Whether it was deleted from the list.
        public var isHidden: Bool
        /// Whether a hint of a change waits for a snapshot.
        public var isOutdated: Bool
        /// The time by which the list is ordered.
        public var activity: Timestamp?
        /// The last message.
        public var lastMessage: LocalMessageID?
        /// The text of the last message, if the list shows one.
        public var lastText: String?
        /// The status of the last message.
        public var lastStatus: MessageStatus?
        /// The name of the last message's sender.
        public var lastSenderName: String?
        /// The unsent text.
        public var draft: String?
        /// When the unsent text was written.
        public var draftTime: Timestamp?
        /// The tags that it carries.
        public var tags: [String]
        /// What is unread in it.
        public var unread: ShownUnread
        /// How many members are known.
        public var memberCount: Int
    }

    /// What is unread in a conversation.
    public struct ShownUnread: Hashable, Sendable {
        /// Messages that count and are above the read marker.
        public var messages = 0
        /// Those of them that mention the account.
        public var mentions = 0
        /// Those of them that mention everyone and not the account by name.
        public var everyoneMentions = 0
        /// Whether the conversation carries the mark "unread".
        public var isMarkedUnread = false
        /// Whether messages may be missing above the read marker.
        public var isLowerBound = false
        /// Up to where all is read.
        public var readUpTo: MessageOrder?
        /// The server's report, where it counts.
        public var report: UnreadCountReported?
    }

    /// What is known of holes in and around a page of a timeline.
    public struct ShownContinuity: Hashable, Sendable {
        /// Whether none is within.
        public var isContiguous = false
        /// Whether one may be before.
        public var hasGapBefore = true
        /// Whether one may be behind.
        public var hasGapAfter = true
        /// Whether the oldest message's stretch reaches the beginning.
        public var reachesBeginning = false
    }

    /// Sums of unread counts.
    public struct ShownTotals: Hashable, Sendable {
        /// Unread messages.
        public var messages = 0
        /// Unread messages that mention the account.
        public var mentions = 0
        /// Those of them that mention everyone and not the account by name.
        public var everyoneMentions = 0
        /// Conversations with unread messages or the mark.
        public var conversations = 0
        /// Unread messages, and one for each conversation that is only marked.
        public var badge = 0
    }

    /// A member of a conversation.
    public struct ShownMember: Hashable, Sendable {
        /// Who.
        public var id: UserID
        /// The name within the conversation.
        public var nickname: String?
        /// The service's number of the role.
        public var role: UInt8
        /// How the member came in.
        public var joinKind: JoinKind
        /// Who brought the member in.
        public var invitedBy: UserID?
        /// Until when the member may not write.
        public var mutedUntil: Timestamp?
    }

    /// What is known of a user.
    public struct ShownProfile: Hashable, Sendable {
        /// The profile, or the id alone.
        public var profile: Profile
        /// Whether no provider ever answered.
        public var isPlaceholder: Bool
        /// Whether it was invalidated since.
        public var isStale: Bool
        /// Whether the last fetch failed.
        public var hasFailed: Bool
    }

    /// How far the current or last offline sync has come.
    public struct ShownSync: Hashable, Sendable {
        /// Whether a sync is going on.
        public var isSyncing = false
        /// Whether the last package said that the server has more.
        public var hasMore = false
        /// Packages of this sync.
        public var packages = 0
        /// Messages in them.
        public var messages = 0
        /// How often the number of one was more than one above the highest before it.
        public var jumps = 0
        /// Syncs completed so far.
        public var completions = 0
    }
}

extension StoreModel.ShownMessage {
    /// Takes over what a store answered.
    public init(_ message: Message) {
        self.init(
            id: message.id, serverID: message.serverID, clientToken: message.clientToken, sender: message.sender,
            isOutgoing: message.isOutgoing, time: message.time, isTimeProvisional: message.isTimeProvisional,
            status: message.status, failureCode: message.failureCode, deliveredTime: message.deliveredTime,
            readTime: message.readTime, content: message.content, isModified: message.isModified,
            isRecalled: message.isRecalled, flags: message.flags, isRead: message.isRead,
            attachments: Dictionary(message.attachments.map { ($0.index, $0.state) }) { first, _ in first },
            isLocal: message.isLocal, isReplaced: message.isReplaced)
    }
}

extension StoreModel.ShownConversation {
    /// Takes over what a store answered.
    public init(_ conversation: Conversation) {
        let last = conversation.lastMessage
        self.init(
            key: conversation.key,
            fields: ConversationFields(
                name: conversation.name, creator: conversation.creator, avatarURL: conversation.avatarURL,
                attributes: conversation.attributes, indexed: conversation.indexedAttributes,
                kind: conversation.kind),
            displayName: conversation.displayName, peer: conversation.peer, isPinned: conversation.isPinned,
            level: conversation.notificationLevel,
            mutedUntil: conversation.mutedUntil, isArchived: conversation.isArchived, isHidden: conversation.isHidden,
            isOutdated: conversation.isOutdated,
            activity: conversation.activity,
            lastMessage: last?.id, lastText: last?.text, lastStatus: last?.status,
            lastSenderName: last?.senderName, draft: conversation.draft, draftTime: conversation.draftTime,
            tags: conversation.tags,
            unread: StoreModel.ShownUnread(conversation.unread), memberCount: conversation.memberCount)
    }
}

extension StoreModel.ShownUnread {
    /// Takes over what a store answered.
    public init(_ unread: UnreadCount) {
        self.init(
            messages: unread.messages, mentions: unread.mentions, everyoneMentions: unread.everyoneMentions,
            isMarkedUnread: unread.isMarkedUnread,
            isLowerBound: unread.isLowerBound, readUpTo: unread.readUpTo, report: unread.report)
    }
}

extension StoreModel.ShownContinuity {
    /// Takes over what a store answered.
    public init(_ page: TimelinePage) {
        self.init(
            isContiguous: page.isContiguous, hasGapBefore: page.hasGapBefore, hasGapAfter: page.hasGapAfter,
            reachesBeginning: page.reachesBeginning)
    }
}

extension StoreModel.ShownTotals {
    /// Takes over what a store answered.
    public init(_ totals: UnreadTotals) {
        self.init(
            messages: totals.messages, mentions: totals.mentions, everyoneMentions: totals.everyoneMentions,
            conversations: totals.conversations,
            badge: totals.badge)
    }
}

extension StoreModel.ShownMember {
    /// Takes over what a store answered.
    public init(_ member: Member) {
        self.init(
            id: member.id, nickname: member.nickname, role: member.role, joinKind: member.joinKind,
            invitedBy: member.invitedBy, mutedUntil: member.mutedUntil)
    }
}

extension StoreModel.ShownProfile {
    /// Takes over what a store answered.
    public init(_ known: CachedProfile) {
        self.init(
            profile: known.profile, isPlaceholder: known.isPlaceholder, isStale: known.isStale,
            hasFailed: known.hasFailed)
    }
}

extension StoreModel.ShownSync {
    /// Takes over what a store answered.
    public init(_ progress: SyncProgress) {
        self.init(
            isSyncing: progress.isSyncing, hasMore: progress.hasMore, packages: progress.packages,
            messages: progress.messages, jumps: progress.jumps, completions: progress.completions)
    }
}
