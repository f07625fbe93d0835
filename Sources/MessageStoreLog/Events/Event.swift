/// One fact, ready to be recorded: what happened, in which conversation, and how the store learnt of it.
public struct Event: Hashable, Sendable {
    /// What happened.
    public var body: EventBody
    /// The conversation that it happened in; nil only for facts of the whole account.
    public var conversation: ConversationKey?
    /// The host's own id of the event: recording it again changes nothing (I4).
    public var id: EventID?
    /// How the store learnt of it.
    public var origin: Origin
    /// When the server says that it happened. Messages carry their own `sentTime` here.
    public var serverTime: Timestamp?
    /// The device that it happened on, where the server tells.
    public var device: DeviceID?

    /// Puts an event together; rules are checked when it is recorded.
    public init(
        _ body: EventBody,
        in conversation: ConversationKey? = nil,
        id: EventID? = nil,
        origin: Origin = .local,
        serverTime: Timestamp? = nil,
        device: DeviceID? = nil
    ) {
        self.body = body
        self.conversation = conversation
        self.id = id
        self.origin = origin
        self.serverTime = serverTime
        self.device = device
    }
}

/// How the store learnt of an event.
public struct Origin: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number that stands in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Made on this device.
    public static let local = Origin(rawValue: 0)
    /// Pushed while online.
    public static let live = Origin(rawValue: 1)
    /// Delivered after having been offline.
    public static let offline = Origin(rawValue: 2)
    /// Fetched from the server's history.
    public static let history = Origin(rawValue: 3)
    /// Made by this account on another device.
    public static let otherDevice = Origin(rawValue: 4)

    /// The value as it is shown to people.
    public var description: String {
        switch self {
        case .local: "local"
        case .live: "live"
        case .offline: "offline"
        case .history: "history"
        case .otherDevice: "otherDevice"
        default: "origin\(rawValue)"
        }
    }
}

/// What happened. New cases may be added: give every `switch` a default.
public enum EventBody: Hashable, Sendable {
    case messageSendQueued(MessageSendQueued)
    case messageSent(MessageSent)
    case messageSendFailed(MessageSendFailed)
    case messageSendRetried(MessageSendRetried)
    case messageReceived(MessageReceived)
    case messageDelivered(MessageDelivered)
    case messageReadByPeer(MessageReadByPeer)
    case messageModified(MessageModified)
    case messageRecalled(MessageRecalled)
    case messagesDeleted(MessagesDeleted)
    case historyCleared(HistoryCleared)
    case historyPageLoaded(HistoryPageLoaded)
    case messageStatusOverridden(MessageStatusOverridden)
    case messageInsertedLocally(MessageInsertedLocally)
    case readReceiptRequested(ReadReceiptRequested)
    case readReceiptSent(ReadReceiptSent)
    case messageStatusFlagsSet(MessageStatusFlagsSet)
    case messageExpansionChanged(MessageExpansionChanged)
    case reactionAdded(ReactionAdded)
    case reactionRemoved(ReactionRemoved)
    case attachmentStateChanged(AttachmentStateChanged)
    case messageFiltered(MessageFiltered)
    case messageDuplicateSuppressed(MessageDuplicateSuppressed)
    case historyGapFound(HistoryGapFound)
    case conversationCreated(ConversationCreated)
    case conversationUpdated(ConversationUpdated)
    case conversationSnapshotReceived(ConversationSnapshotReceived)
    case conversationRead(ConversationRead)
    case conversationMarkedUnread(ConversationMarkedUnread)
    case conversationPinned(ConversationPinned)
    case conversationMuted(ConversationMuted)
    case conversationDraftChanged(ConversationDraftChanged)
    case conversationDeleted(ConversationDeleted)
    case conversationInvalidated(ConversationInvalidated)
    case conversationTagged(ConversationTagged)
    case unreadCountReported(UnreadCountReported)
    case chatRoomJoined(ChatRoomJoined)
    case chatRoomLeft(ChatRoomLeft)
    case chatRoomEntriesChanged(ChatRoomEntriesChanged)
    case membersAdded(MembersAdded)
    case membersRemoved(MembersRemoved)
    case memberInfoChanged(MemberInfoChanged)
    case selfInvited(SelfInvited)
    case selfKicked(SelfKicked)
    case memberMuted(MemberMuted)
    case memberBlocked(MemberBlocked)
    case profilesFetched(ProfilesFetched)
    case profileFetchFailed(ProfileFetchFailed)
    case profileInvalidated(ProfileInvalidated)
    case teamInfoFetched(TeamInfoFetched)
    case teamInfoInvalidated(TeamInfoInvalidated)
    case offlineSyncStarted(OfflineSyncStarted)
    case offlinePackageReceived(OfflinePackageReceived)
    case offlineSyncCompleted(OfflineSyncCompleted)
    case syncCursorAdvanced(SyncCursorAdvanced)
    case sessionStateChanged(SessionStateChanged)
    /// An event of a type that this version does not know, kept byte for byte (I9).
    case unknown(UnknownEvent)
}

/// An event of a type that this version does not know.
public struct UnknownEvent: Hashable, Sendable {
    /// The type's number.
    public var type: EventType
    /// The version of the type's payload.
    public var schemaVersion: UInt8
    /// The fields, byte for byte.
    public var fields: [UInt8]
    /// The content, byte for byte.
    public var content: [UInt8]

    /// Puts one together, for instance to carry an event of a newer version over.
    public init(type: EventType, schemaVersion: UInt8 = 1, fields: [UInt8] = [], content: [UInt8] = []) {
        self.type = type
        self.schemaVersion = schemaVersion
        self.fields = fields
        self.content = content
    }
}
