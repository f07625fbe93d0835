/// The name of a projection, unique within a store.
///
/// Those of the library are constants of this type; a host's is a reverse-DNS name, such as `com.example.starred`.
public struct ProjectionID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The name.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Wraps a name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The value as it is shown to people.
    public var description: String { rawValue }
}

extension ProjectionID {
    /// Identities, states, receipts and the outbox of messages.
    public static let messages: ProjectionID = "Messages"
    /// Messages in their conversation's order, and which stretches have no gaps.
    public static let timeline: ProjectionID = "Timeline"
    /// A secondary index of the timeline by content type and mention.
    public static let timelineMarks: ProjectionID = "TimelineMarks"
    /// Facts about messages: reactions, metadata, receipts, pins, stars, edits, and the files that this device keeps.
    public static let messageDetails: ProjectionID = "MessageDetails"
    /// When settings of conversations and members were chosen, by which later reports are merged.
    public static let settings: ProjectionID = "Settings"
    /// The conversation list.
    public static let conversationList: ProjectionID = "ConversationList"
    /// Unread counts, by conversation and in total.
    public static let unreadCounters: ProjectionID = "UnreadCounters"
    /// When messages disappear.
    public static let timers: ProjectionID = "Timers"
    /// Changes made on this device that no server has confirmed: modifications, recalls and all other events that await it.
    public static let pendingChanges: ProjectionID = "PendingChanges"
    /// Replies by the message that they name, and how far threads are read.
    public static let threads: ProjectionID = "Threads"
    /// The members of conversations.
    public static let members: ProjectionID = "Members"
    /// Conversations by member, name, creator, tag and attribute.
    public static let conversationIndex: ProjectionID = "ConversationIndex"
    /// Chat rooms and their entries.
    public static let chatRooms: ProjectionID = "ChatRooms"
    /// Profiles of users.
    public static let profiles: ProjectionID = "Profiles"
    /// Names and avatars of teams.
    public static let teams: ProjectionID = "Teams"
    /// Contacts, and users whom the account blocked.
    public static let contacts: ProjectionID = "Contacts"
    /// What timelines show between messages.
    public static let timelineEvents: ProjectionID = "TimelineEvents"
    /// Offline sync: counters and cursors.
    public static let syncState: ProjectionID = "SyncState"
    /// How many events there are of each type that the library does not fold.
    public static let unknownEvents: ProjectionID = "UnknownEvents"

    /// The projections of the library, in the order in which events pass through them.
    public static let builtIn: [ProjectionID] = BuiltInProjections.all.map(\.declaration.id)

    /// The types of events that a projection of the library folds; nil for all, and for a host's.
    package var handledTypes: Set<EventType>? {
        let projection = BuiltInProjections.all.first { $0.declaration.id == self }
        guard case .types(let types)? = projection?.declaration.events else { return nil }
        return types
    }
}
