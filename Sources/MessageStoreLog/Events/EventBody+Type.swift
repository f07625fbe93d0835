extension EventBody {
    /// The type under which the event stands in the log.
    public var type: EventType {
        switch self {
        case .messageSendQueued: .messageSendQueued
        case .messageSent: .messageSent
        case .messageSendFailed: .messageSendFailed
        case .messageSendRetried: .messageSendRetried
        case .messageReceived: .messageReceived
        case .messageDelivered: .messageDelivered
        case .messageReadByPeer: .messageReadByPeer
        case .messageModified: .messageModified
        case .messageRecalled: .messageRecalled
        case .messagesDeleted: .messagesDeleted
        case .historyCleared: .historyCleared
        case .historyPageLoaded: .historyPageLoaded
        case .messageStatusOverridden: .messageStatusOverridden
        case .messageInsertedLocally: .messageInsertedLocally
        case .readReceiptRequested: .readReceiptRequested
        case .readReceiptSent: .readReceiptSent
        case .messageStatusFlagsSet: .messageStatusFlagsSet
        case .messageExpansionChanged: .messageExpansionChanged
        case .reactionAdded: .reactionAdded
        case .reactionRemoved: .reactionRemoved
        case .attachmentStateChanged: .attachmentStateChanged
        case .messageFiltered: .messageFiltered
        case .messageDuplicateSuppressed: .messageDuplicateSuppressed
        case .historyGapFound: .historyGapFound
        case .conversationCreated: .conversationCreated
        case .conversationUpdated: .conversationUpdated
        case .conversationSnapshotReceived: .conversationSnapshotReceived
        case .conversationRead: .conversationRead
        case .conversationMarkedUnread: .conversationMarkedUnread
        case .conversationPinned: .conversationPinned
        case .conversationMuted: .conversationMuted
        case .conversationDraftChanged: .conversationDraftChanged
        case .conversationDeleted: .conversationDeleted
        case .conversationInvalidated: .conversationInvalidated
        case .conversationTagged: .conversationTagged
        case .unreadCountReported: .unreadCountReported
        case .chatRoomJoined: .chatRoomJoined
        case .chatRoomLeft: .chatRoomLeft
        case .chatRoomEntriesChanged: .chatRoomEntriesChanged
        case .membersAdded: .membersAdded
        case .membersRemoved: .membersRemoved
        case .memberInfoChanged: .memberInfoChanged
        case .selfInvited: .selfInvited
        case .selfKicked: .selfKicked
        case .memberMuted: .memberMuted
        case .memberBlocked: .memberBlocked
        case .profilesFetched: .profilesFetched
        case .profileFetchFailed: .profileFetchFailed
        case .profileInvalidated: .profileInvalidated
        case .teamInfoFetched: .teamInfoFetched
        case .teamInfoInvalidated: .teamInfoInvalidated
        case .offlineSyncStarted: .offlineSyncStarted
        case .offlinePackageReceived: .offlinePackageReceived
        case .offlineSyncCompleted: .offlineSyncCompleted
        case .syncCursorAdvanced: .syncCursorAdvanced
        case .sessionStateChanged: .sessionStateChanged
        case .unknown(let event): event.type
        }
    }
}

extension EventType {
    /// Whether events of the type belong to a conversation; nil where either may be (unknown types).
    package var needsConversation: Bool? {
        switch rawValue {
        case 0x01...0x4F: isKnown ? true : nil
        case 0x50...0x6F: isKnown ? false : nil
        default: nil
        }
    }

    /// Whether events of the type are messages, which take a place in a timeline.
    package var isMessage: Bool {
        self == .messageReceived || self == .messageSendQueued || self == .messageInsertedLocally
    }

    /// Whether the content that redaction removes is a person's words.
    package var hasRedactableContent: Bool {
        switch self {
        case .messageSendQueued, .messageReceived, .messageInsertedLocally, .messageModified, .messageFiltered,
            .messageRecalled, .attachmentStateChanged, .conversationDraftChanged, .membersRemoved:
            true
        default: false
        }
    }
}
