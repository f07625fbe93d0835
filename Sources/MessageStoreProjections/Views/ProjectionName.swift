/// The projections that a store keeps, with their versions and tables.
///
/// A version is raised whenever the fold or its rows change: views of another version are dropped and rebuilt.
package enum ProjectionName: String, CaseIterable, Sendable {
    case messages = "Messages"
    case timeline = "Timeline"
    case conversationList = "ConversationList"
    case unreadCounters = "UnreadCounters"
    case members = "Members"
    case profiles = "Profiles"
    case syncState = "SyncState"
    case unknownEvents = "UnknownEvents"
    case messageDetails = "MessageDetails"
    case pendingChanges = "PendingChanges"
    case timelineMarks = "TimelineMarks"

    package var version: UInt32 {
        switch self {
        case .messages, .conversationList, .unreadCounters, .profiles: 2
        case .timeline, .members, .syncState, .unknownEvents, .messageDetails, .pendingChanges, .timelineMarks: 1
        }
    }

    package var tables: [ViewTable] {
        switch self {
        case .messages: [.identities, .messageStates, .parkedStates, .outbox, .receiptMarks]
        case .timeline: [.timeline, .timelineFloors, .timelineRanges]
        case .conversationList: [.conversations, .conversationInfo, .conversationOrder]
        case .unreadCounters: [.unread, .unreadTotals]
        case .members: [.members, .memberLists]
        case .profiles: [.profiles]
        case .syncState: [.syncState, .syncCursors]
        case .unknownEvents: [.unknownEvents]
        case .messageDetails: [.messageDetails, .owedReceipts, .parkedReceipts]
        case .pendingChanges: [.pendingChanges]
        case .timelineMarks: [.timelineMarks]
        }
    }
}
