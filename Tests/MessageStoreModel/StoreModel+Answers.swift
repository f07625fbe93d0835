package import MessageStore

extension StoreModel {
    /// A message as a query answers it, in a form that can be made and compared.
    package struct ShownMessage: Hashable, Sendable {
        /// Its id in the store.
        package var id: LocalMessageID
        /// The server's id, once known.
        package var serverID: ServerMessageID?
        /// The token that its sender's device gave it.
        package var clientToken: ClientToken?
        /// Who sent it.
        package var sender: UserID
        /// Whether it is the account's own.
        package var isOutgoing: Bool
        /// The server's time, else the recorded one.
        package var time: Timestamp
        /// Whether the server's time is not known.
        package var isTimeProvisional: Bool
        /// How far it has come.
        package var status: MessageStatus
        /// The transport's error while the status is `failed`; else 0.
        package var failureCode: Int32?
        /// When it was first delivered.
        package var deliveredTime: Timestamp?
        /// When it was first read.
        package var readTime: Timestamp?
        /// What it says now.
        package var content: MessageContent
        /// Whether its content was replaced.
        package var isModified: Bool
        /// Whether it was taken back.
        package var isRecalled: Bool
        /// What the user did with it.
        package var flags: MessageFlags
        /// Whether the user has read it; nil for the account's own.
        package var isRead: Bool?
        /// How far the transfer of its file has come.
        package var attachments: [UInt8: AttachmentState]
        /// Whether only this device knows it.
        package var isLocal: Bool
        /// Whether a filter's replacement is shown.
        package var isReplaced: Bool
    }

    /// A conversation as a query answers it, in a form that can be made and compared.
    package struct ShownConversation: Hashable, Sendable {
        /// Which conversation.
        package var key: ConversationKey
        /// The service's fields, with the kind that it is of.
        package var fields: ConversationFields
        /// The name to show.
        package var displayName: String
        /// Whom it is with, where it is of two people.
        package var peer: UserID?
        /// Whether it is pinned.
        package var isPinned: Bool
        /// Which messages notify.
        package var level: NotificationLevel
        /// Until when.
        package var mutedUntil: Timestamp?
        /// Whether it is in the archive.
        package var isArchived: Bool
        /// Whether it was deleted from the list.
        package var isHidden: Bool
        /// Whether a hint of a change waits for a snapshot.
        package var isOutdated: Bool
        /// The time by which the list is ordered.
        package var activity: Timestamp?
        /// The last message.
        package var lastMessage: LocalMessageID?
        /// The text of the last message, if the list shows one.
        package var lastText: String?
        /// The status of the last message.
        package var lastStatus: MessageStatus?
        /// The name of the last message's sender.
        package var lastSenderName: String?
        /// The unsent text.
        package var draft: String?
        /// When the unsent text was written.
        package var draftTime: Timestamp?
        /// The tags that it carries.
        package var tags: [String]
        /// What is unread in it.
        package var unread: ShownUnread
        /// How many members are known.
        package var memberCount: Int
    }

    /// What is unread in a conversation.
    package struct ShownUnread: Hashable, Sendable {
        /// Messages that count and are above the read marker.
        package var messages = 0
        /// Those of them that mention the account.
        package var mentions = 0
        /// Those of them that mention everyone and not the account by name.
        package var everyoneMentions = 0
        /// Whether the conversation carries the mark "unread".
        package var isMarkedUnread = false
        /// Whether messages may be missing above the read marker.
        package var isLowerBound = false
        /// Up to where all is read.
        package var readUpTo: MessageOrder?
        /// The server's report, where it counts.
        package var report: UnreadCountReported?
    }

    /// What is known of holes in and around a page of a timeline.
    package struct ShownContinuity: Hashable, Sendable {
        /// Whether none is within.
        package var isContiguous = false
        /// Whether one may be before.
        package var hasGapBefore = true
        /// Whether one may be behind.
        package var hasGapAfter = true
        /// Whether the oldest message's stretch reaches the beginning.
        package var reachesBeginning = false
    }

    /// Sums of unread counts.
    package struct ShownTotals: Hashable, Sendable {
        /// Unread messages.
        package var messages = 0
        /// Unread messages that mention the account.
        package var mentions = 0
        /// Those of them that mention everyone and not the account by name.
        package var everyoneMentions = 0
        /// Conversations with unread messages or the mark.
        package var conversations = 0
        /// Unread messages, and one for each conversation that is only marked.
        package var badge = 0
    }

    /// A member of a conversation.
    package struct ShownMember: Hashable, Sendable {
        /// Who.
        package var id: UserID
        /// The name within the conversation.
        package var nickname: String?
        /// The service's number of the role.
        package var role: UInt8
        /// How the member came in.
        package var joinKind: JoinKind
        /// Who brought the member in.
        package var invitedBy: UserID?
        /// Until when the member may not write.
        package var mutedUntil: Timestamp?
    }

    /// What is known of a user.
    package struct ShownProfile: Hashable, Sendable {
        /// The profile, or the id alone.
        package var profile: Profile
        /// Whether no provider ever answered.
        package var isPlaceholder: Bool
        /// Whether it was invalidated since.
        package var isStale: Bool
        /// Whether the last fetch failed.
        package var hasFailed: Bool
    }

    /// How far the current or last offline sync has come.
    package struct ShownSync: Hashable, Sendable {
        /// Whether a sync is going on.
        package var isSyncing = false
        /// Whether the last package said that the server has more.
        package var hasMore = false
        /// Packages of this sync.
        package var packages = 0
        /// Messages in them.
        package var messages = 0
        /// How often the number of one was more than one above the highest before it.
        package var jumps = 0
        /// Syncs completed so far.
        package var completions = 0
    }
}

extension StoreModel.ShownMessage {
    /// Takes over what a store answered.
    package init(_ message: Message) {
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
    package init(_ conversation: Conversation) {
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
    package init(_ unread: UnreadCount) {
        self.init(
            messages: unread.messages, mentions: unread.mentions, everyoneMentions: unread.everyoneMentions,
            isMarkedUnread: unread.isMarkedUnread,
            isLowerBound: unread.isLowerBound, readUpTo: unread.readUpTo, report: unread.report)
    }
}

extension StoreModel.ShownContinuity {
    /// Takes over what a store answered.
    package init(_ page: TimelinePage) {
        self.init(
            isContiguous: page.isContiguous, hasGapBefore: page.hasGapBefore, hasGapAfter: page.hasGapAfter,
            reachesBeginning: page.reachesBeginning)
    }
}

extension StoreModel.ShownTotals {
    /// Takes over what a store answered.
    package init(_ totals: UnreadTotals) {
        self.init(
            messages: totals.messages, mentions: totals.mentions, everyoneMentions: totals.everyoneMentions,
            conversations: totals.conversations,
            badge: totals.badge)
    }
}

extension StoreModel.ShownMember {
    /// Takes over what a store answered.
    package init(_ member: Member) {
        self.init(
            id: member.id, nickname: member.nickname, role: member.role, joinKind: member.joinKind,
            invitedBy: member.invitedBy, mutedUntil: member.mutedUntil)
    }
}

extension StoreModel.ShownProfile {
    /// Takes over what a store answered.
    package init(_ known: CachedProfile) {
        self.init(
            profile: known.profile, isPlaceholder: known.isPlaceholder, isStale: known.isStale,
            hasFailed: known.hasFailed)
    }
}

extension StoreModel.ShownSync {
    /// Takes over what a store answered.
    package init(_ progress: SyncProgress) {
        self.init(
            isSyncing: progress.isSyncing, hasMore: progress.hasMore, packages: progress.packages,
            messages: progress.messages, jumps: progress.jumps, completions: progress.completions)
    }
}
