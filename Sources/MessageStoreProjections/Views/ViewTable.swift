/// The tables that views stand in, each owned by one projection.
package enum ViewTable: UInt8, CaseIterable, Sendable {
    // Messages
    case identities, messageStates, parkedStates, outbox, receiptMarks
    // Timeline
    case timeline, timelineFloors, timelineRanges, timelineHeads
    // ConversationList
    case conversations, conversationInfo, conversationOrder
    // UnreadCounters
    case unread, unreadTotals
    // Members
    case members, memberLists
    // ConversationIndex
    case conversationIndex
    // ChatRooms
    case chatRooms, chatRoomEntries
    // Profiles
    case profiles
    // Teams
    case teams
    // SyncState
    case syncState, syncCursors
    // UnknownEvents
    case unknownEvents
    // MessageDetails
    case messageDetails, owedReceipts, parkedReceipts
    // PendingChanges
    case pendingChanges
    // TimelineMarks
    case timelineMarks

    package static let count = allCases.count

    /// The table's name in the views' environment.
    package var name: String { "\(self)" }
}
