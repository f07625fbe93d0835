/// The type of an event, as the number that stands in the log.
///
/// Numbers are never given anew: a retired type keeps its own. Types of hosts begin at 0x8000.
public struct EventType: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt16

    /// Wraps a number.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The type of ``MessageSendQueued``.
    @inlinable public static var messageSendQueued: EventType { EventType(rawValue: 0x01) }
    /// The type of ``MessageSent``.
    @inlinable public static var messageSent: EventType { EventType(rawValue: 0x02) }
    /// The type of ``MessageSendFailed``.
    @inlinable public static var messageSendFailed: EventType { EventType(rawValue: 0x03) }
    /// The type of ``MessageSendRetried``.
    @inlinable public static var messageSendRetried: EventType { EventType(rawValue: 0x04) }
    /// The type of ``MessageReceived``.
    @inlinable public static var messageReceived: EventType { EventType(rawValue: 0x05) }
    /// The type of ``MessageDelivered``.
    @inlinable public static var messageDelivered: EventType { EventType(rawValue: 0x06) }
    /// The type of ``MessageReadByPeer``.
    @inlinable public static var messageReadByPeer: EventType { EventType(rawValue: 0x07) }
    /// The type of ``MessageModified``.
    @inlinable public static var messageModified: EventType { EventType(rawValue: 0x08) }
    /// The type of ``MessageRecalled``.
    @inlinable public static var messageRecalled: EventType { EventType(rawValue: 0x09) }
    /// The type of ``MessagesDeleted``.
    @inlinable public static var messagesDeleted: EventType { EventType(rawValue: 0x0A) }
    /// The type of ``HistoryCleared``.
    @inlinable public static var historyCleared: EventType { EventType(rawValue: 0x0B) }
    /// The type of ``HistoryPageLoaded``.
    @inlinable public static var historyPageLoaded: EventType { EventType(rawValue: 0x0C) }
    /// The type of ``MessageStatusOverridden``.
    @inlinable public static var messageStatusOverridden: EventType { EventType(rawValue: 0x0D) }
    /// The type of ``MessageInsertedLocally``.
    @inlinable public static var messageInsertedLocally: EventType { EventType(rawValue: 0x0E) }
    /// The type of ``ReadReceiptRequested``.
    @inlinable public static var readReceiptRequested: EventType { EventType(rawValue: 0x0F) }
    /// The type of ``ReadReceiptSent``.
    @inlinable public static var readReceiptSent: EventType { EventType(rawValue: 0x10) }
    /// The type of ``MessageStatusFlagsSet``.
    @inlinable public static var messageStatusFlagsSet: EventType { EventType(rawValue: 0x11) }
    /// The type of ``MessageExpansionChanged``.
    @inlinable public static var messageExpansionChanged: EventType { EventType(rawValue: 0x12) }
    /// The type of ``ReactionAdded``.
    @inlinable public static var reactionAdded: EventType { EventType(rawValue: 0x13) }
    /// The type of ``ReactionRemoved``.
    @inlinable public static var reactionRemoved: EventType { EventType(rawValue: 0x14) }
    /// The type of ``AttachmentStateChanged``.
    @inlinable public static var attachmentStateChanged: EventType { EventType(rawValue: 0x15) }
    /// The type of ``MessageFiltered``.
    @inlinable public static var messageFiltered: EventType { EventType(rawValue: 0x16) }
    /// The type of ``MessageDuplicateSuppressed``.
    @inlinable public static var messageDuplicateSuppressed: EventType { EventType(rawValue: 0x17) }
    /// The type of ``HistoryGapFound``.
    @inlinable public static var historyGapFound: EventType { EventType(rawValue: 0x18) }
    /// The type of ``ConversationCreated``.
    @inlinable public static var conversationCreated: EventType { EventType(rawValue: 0x20) }
    /// The type of ``ConversationUpdated``.
    @inlinable public static var conversationUpdated: EventType { EventType(rawValue: 0x21) }
    /// The type of ``ConversationSnapshotReceived``.
    @inlinable public static var conversationSnapshotReceived: EventType { EventType(rawValue: 0x22) }
    /// The type of ``ConversationRead``.
    @inlinable public static var conversationRead: EventType { EventType(rawValue: 0x23) }
    /// The type of ``ConversationMarkedUnread``.
    @inlinable public static var conversationMarkedUnread: EventType { EventType(rawValue: 0x24) }
    /// The type of ``ConversationPinned``.
    @inlinable public static var conversationPinned: EventType { EventType(rawValue: 0x25) }
    /// The type of ``ConversationMuted``.
    @inlinable public static var conversationMuted: EventType { EventType(rawValue: 0x26) }
    /// The type of ``ConversationDraftChanged``.
    @inlinable public static var conversationDraftChanged: EventType { EventType(rawValue: 0x27) }
    /// The type of ``ConversationDeleted``.
    @inlinable public static var conversationDeleted: EventType { EventType(rawValue: 0x28) }
    /// The type of ``ConversationInvalidated``.
    @inlinable public static var conversationInvalidated: EventType { EventType(rawValue: 0x29) }
    /// The type of ``ConversationTagged``.
    @inlinable public static var conversationTagged: EventType { EventType(rawValue: 0x2A) }
    /// The type of ``UnreadCountReported``.
    @inlinable public static var unreadCountReported: EventType { EventType(rawValue: 0x2B) }
    /// The type of ``ChatRoomJoined``.
    @inlinable public static var chatRoomJoined: EventType { EventType(rawValue: 0x30) }
    /// The type of ``ChatRoomLeft``.
    @inlinable public static var chatRoomLeft: EventType { EventType(rawValue: 0x31) }
    /// The type of ``ChatRoomEntriesChanged``.
    @inlinable public static var chatRoomEntriesChanged: EventType { EventType(rawValue: 0x32) }
    /// The type of ``MembersAdded``.
    @inlinable public static var membersAdded: EventType { EventType(rawValue: 0x40) }
    /// The type of ``MembersRemoved``.
    @inlinable public static var membersRemoved: EventType { EventType(rawValue: 0x41) }
    /// The type of ``MemberInfoChanged``.
    @inlinable public static var memberInfoChanged: EventType { EventType(rawValue: 0x42) }
    /// The type of ``SelfInvited``.
    @inlinable public static var selfInvited: EventType { EventType(rawValue: 0x43) }
    /// The type of ``SelfKicked``.
    @inlinable public static var selfKicked: EventType { EventType(rawValue: 0x44) }
    /// The type of ``MemberMuted``.
    @inlinable public static var memberMuted: EventType { EventType(rawValue: 0x45) }
    /// The type of ``MemberBlocked``.
    @inlinable public static var memberBlocked: EventType { EventType(rawValue: 0x46) }
    /// The type of ``ProfilesFetched``.
    @inlinable public static var profilesFetched: EventType { EventType(rawValue: 0x50) }
    /// The type of ``ProfileFetchFailed``.
    @inlinable public static var profileFetchFailed: EventType { EventType(rawValue: 0x51) }
    /// The type of ``ProfileInvalidated``.
    @inlinable public static var profileInvalidated: EventType { EventType(rawValue: 0x52) }
    /// The type of ``TeamInfoFetched``.
    @inlinable public static var teamInfoFetched: EventType { EventType(rawValue: 0x53) }
    /// The type of ``TeamInfoInvalidated``.
    @inlinable public static var teamInfoInvalidated: EventType { EventType(rawValue: 0x54) }
    /// The type of ``OfflineSyncStarted``.
    @inlinable public static var offlineSyncStarted: EventType { EventType(rawValue: 0x60) }
    /// The type of ``OfflinePackageReceived``.
    @inlinable public static var offlinePackageReceived: EventType { EventType(rawValue: 0x61) }
    /// The type of ``OfflineSyncCompleted``.
    @inlinable public static var offlineSyncCompleted: EventType { EventType(rawValue: 0x62) }
    /// The type of ``SyncCursorAdvanced``.
    @inlinable public static var syncCursorAdvanced: EventType { EventType(rawValue: 0x63) }
    /// The type of ``SessionStateChanged``.
    @inlinable public static var sessionStateChanged: EventType { EventType(rawValue: 0x64) }

    /// Every type that this version knows, with its name.
    public static let known: [(type: EventType, name: String)] = [
        (.messageSendQueued, "MessageSendQueued"), (.messageSent, "MessageSent"),
        (.messageSendFailed, "MessageSendFailed"), (.messageSendRetried, "MessageSendRetried"),
        (.messageReceived, "MessageReceived"), (.messageDelivered, "MessageDelivered"),
        (.messageReadByPeer, "MessageReadByPeer"), (.messageModified, "MessageModified"),
        (.messageRecalled, "MessageRecalled"), (.messagesDeleted, "MessagesDeleted"),
        (.historyCleared, "HistoryCleared"), (.historyPageLoaded, "HistoryPageLoaded"),
        (.messageStatusOverridden, "MessageStatusOverridden"), (.messageInsertedLocally, "MessageInsertedLocally"),
        (.readReceiptRequested, "ReadReceiptRequested"), (.readReceiptSent, "ReadReceiptSent"),
        (.messageStatusFlagsSet, "MessageStatusFlagsSet"), (.messageExpansionChanged, "MessageExpansionChanged"),
        (.reactionAdded, "ReactionAdded"), (.reactionRemoved, "ReactionRemoved"),
        (.attachmentStateChanged, "AttachmentStateChanged"), (.messageFiltered, "MessageFiltered"),
        (.messageDuplicateSuppressed, "MessageDuplicateSuppressed"), (.historyGapFound, "HistoryGapFound"),
        (.conversationCreated, "ConversationCreated"), (.conversationUpdated, "ConversationUpdated"),
        (.conversationSnapshotReceived, "ConversationSnapshotReceived"), (.conversationRead, "ConversationRead"),
        (.conversationMarkedUnread, "ConversationMarkedUnread"), (.conversationPinned, "ConversationPinned"),
        (.conversationMuted, "ConversationMuted"), (.conversationDraftChanged, "ConversationDraftChanged"),
        (.conversationDeleted, "ConversationDeleted"), (.conversationInvalidated, "ConversationInvalidated"),
        (.conversationTagged, "ConversationTagged"), (.unreadCountReported, "UnreadCountReported"),
        (.chatRoomJoined, "ChatRoomJoined"), (.chatRoomLeft, "ChatRoomLeft"),
        (.chatRoomEntriesChanged, "ChatRoomEntriesChanged"), (.membersAdded, "MembersAdded"),
        (.membersRemoved, "MembersRemoved"), (.memberInfoChanged, "MemberInfoChanged"), (.selfInvited, "SelfInvited"),
        (.selfKicked, "SelfKicked"), (.memberMuted, "MemberMuted"), (.memberBlocked, "MemberBlocked"),
        (.profilesFetched, "ProfilesFetched"), (.profileFetchFailed, "ProfileFetchFailed"),
        (.profileInvalidated, "ProfileInvalidated"), (.teamInfoFetched, "TeamInfoFetched"),
        (.teamInfoInvalidated, "TeamInfoInvalidated"), (.offlineSyncStarted, "OfflineSyncStarted"),
        (.offlinePackageReceived, "OfflinePackageReceived"), (.offlineSyncCompleted, "OfflineSyncCompleted"),
        (.syncCursorAdvanced, "SyncCursorAdvanced"), (.sessionStateChanged, "SessionStateChanged"),
    ]

    /// The names by number; every event that is folded asks whether it has one.
    private static let names: [String?] = {
        var names = [String?](repeating: nil, count: Int(known.map(\.type.rawValue).max() ?? 0) + 1)
        for (type, name) in known { names[Int(type.rawValue)] = name }
        return names
    }()

    private var name: String? { rawValue < Self.names.count ? Self.names[Int(rawValue)] : nil }

    /// The type of this name, or nil.
    public init?(name: String) {
        guard let entry = Self.known.first(where: { $0.name == name }) else { return nil }
        self = entry.type
    }

    /// Whether this version knows the type.
    public var isKnown: Bool { name != nil }

    /// The name, or the number in hexadecimal for an unknown type.
    public var description: String {
        name ?? "0x" + String(rawValue, radix: 16, uppercase: true)
    }
}
