/// The projections that a store keeps, with their versions and tables.
///
/// A version is raised whenever the fold or its rows change: views of another version are dropped and rebuilt.
package enum ProjectionName: String, CaseIterable, Sendable {
    case messages = "Messages"
    case timeline = "Timeline"
    case conversationList = "ConversationList"
    case unreadCounters = "UnreadCounters"
    case members = "Members"
    case conversationIndex = "ConversationIndex"
    case chatRooms = "ChatRooms"
    case profiles = "Profiles"
    case teams = "Teams"
    case syncState = "SyncState"
    case unknownEvents = "UnknownEvents"
    case messageDetails = "MessageDetails"
    case pendingChanges = "PendingChanges"
    case timelineMarks = "TimelineMarks"

    package var version: UInt32 {
        switch self {
        case .messages, .unreadCounters, .conversationList: 3
        case .profiles, .timeline, .members, .syncState: 2
        case .conversationIndex, .chatRooms, .teams, .unknownEvents, .messageDetails, .pendingChanges, .timelineMarks: 1
        }
    }

    package var tables: [ViewTable] {
        switch self {
        case .messages: [.identities, .messageStates, .parkedStates, .outbox, .receiptMarks]
        case .timeline: [.timeline, .timelineFloors, .timelineRanges, .timelineHeads]
        case .conversationList: [.conversations, .conversationInfo, .conversationOrder]
        case .unreadCounters: [.unread, .unreadTotals]
        case .members: [.members, .memberLists]
        case .conversationIndex: [.conversationIndex]
        case .chatRooms: [.chatRooms, .chatRoomEntries]
        case .profiles: [.profiles]
        case .teams: [.teams]
        case .syncState: [.syncState, .syncCursors]
        case .unknownEvents: [.unknownEvents]
        case .messageDetails: [.messageDetails, .owedReceipts, .parkedReceipts]
        case .pendingChanges: [.pendingChanges]
        case .timelineMarks: [.timelineMarks]
        }
    }
}
