/// The type of an event, as the number that stands in the log.
///
/// Numbers are never given anew: a retired type keeps its own. Types of hosts begin at 0x8000.
public struct EventType: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt16

    /// Wraps a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(_ rawValue: UInt16) { self.rawValue = rawValue }

    public static let messageSendQueued = EventType(0x01)
    public static let messageSent = EventType(0x02)
    public static let messageSendFailed = EventType(0x03)
    public static let messageSendRetried = EventType(0x04)
    public static let messageReceived = EventType(0x05)
    public static let messageDelivered = EventType(0x06)
    public static let messageReadByPeer = EventType(0x07)
    public static let messageModified = EventType(0x08)
    public static let messageRecalled = EventType(0x09)
    public static let messagesDeleted = EventType(0x0A)
    public static let historyCleared = EventType(0x0B)
    public static let historyPageLoaded = EventType(0x0C)
    public static let conversationCreated = EventType(0x20)
    public static let conversationUpdated = EventType(0x21)
    public static let conversationSnapshotReceived = EventType(0x22)
    public static let conversationRead = EventType(0x23)
    public static let conversationMarkedUnread = EventType(0x24)
    public static let conversationPinned = EventType(0x25)
    public static let conversationMuted = EventType(0x26)
    public static let conversationDraftChanged = EventType(0x27)
    public static let conversationDeleted = EventType(0x28)
    public static let membersAdded = EventType(0x40)
    public static let membersRemoved = EventType(0x41)
    public static let memberInfoChanged = EventType(0x42)
    public static let selfInvited = EventType(0x43)
    public static let selfKicked = EventType(0x44)
    public static let profilesFetched = EventType(0x50)
    public static let profileFetchFailed = EventType(0x51)
    public static let profileInvalidated = EventType(0x52)
    public static let offlineSyncStarted = EventType(0x60)
    public static let offlinePackageReceived = EventType(0x61)
    public static let offlineSyncCompleted = EventType(0x62)
    public static let syncCursorAdvanced = EventType(0x63)

    /// Every type that this version knows, with its name.
    public static let known: [(type: EventType, name: String)] = [
        (.messageSendQueued, "MessageSendQueued"), (.messageSent, "MessageSent"),
        (.messageSendFailed, "MessageSendFailed"), (.messageSendRetried, "MessageSendRetried"),
        (.messageReceived, "MessageReceived"), (.messageDelivered, "MessageDelivered"),
        (.messageReadByPeer, "MessageReadByPeer"), (.messageModified, "MessageModified"),
        (.messageRecalled, "MessageRecalled"), (.messagesDeleted, "MessagesDeleted"),
        (.historyCleared, "HistoryCleared"), (.historyPageLoaded, "HistoryPageLoaded"),
        (.conversationCreated, "ConversationCreated"), (.conversationUpdated, "ConversationUpdated"),
        (.conversationSnapshotReceived, "ConversationSnapshotReceived"),
        (.conversationRead, "ConversationRead"), (.conversationMarkedUnread, "ConversationMarkedUnread"),
        (.conversationPinned, "ConversationPinned"), (.conversationMuted, "ConversationMuted"),
        (.conversationDraftChanged, "ConversationDraftChanged"), (.conversationDeleted, "ConversationDeleted"),
        (.membersAdded, "MembersAdded"), (.membersRemoved, "MembersRemoved"),
        (.memberInfoChanged, "MemberInfoChanged"), (.selfInvited, "SelfInvited"), (.selfKicked, "SelfKicked"),
        (.profilesFetched, "ProfilesFetched"), (.profileFetchFailed, "ProfileFetchFailed"),
        (.profileInvalidated, "ProfileInvalidated"), (.offlineSyncStarted, "OfflineSyncStarted"),
        (.offlinePackageReceived, "OfflinePackageReceived"), (.offlineSyncCompleted, "OfflineSyncCompleted"),
        (.syncCursorAdvanced, "SyncCursorAdvanced"),
    ]

    private static let names = Dictionary(uniqueKeysWithValues: known.map { ($0.type.rawValue, $0.name) })

    /// The type of this name, or nil.
    public init?(name: String) {
        guard let entry = Self.known.first(where: { $0.name == name }) else { return nil }
        self = entry.type
    }

    /// Whether this version knows the type.
    public var isKnown: Bool { Self.names[rawValue] != nil }

    /// The name, or the number in hexadecimal for an unknown type.
    public var description: String {
        Self.names[rawValue] ?? "0x" + String(rawValue, radix: 16, uppercase: true)
    }
}
