@_spi(Storage) internal import MessageStoreLog

/// The projections of the library. The order matters: a projection sees an event after the projections that it reads.
enum BuiltInProjections {
    static let all = [
        RegisteredProjection(Messages.self),
        RegisteredProjection(Timeline.self),
        RegisteredProjection(TimelineMarks.self),
        RegisteredProjection(MessageDetails.self),
        RegisteredProjection(Settings.self),
        RegisteredProjection(ConversationList.self),
        RegisteredProjection(UnreadCounters.self),
        RegisteredProjection(Timers.self),
        RegisteredProjection(PendingChanges.self),
        RegisteredProjection(Threads.self),
        RegisteredProjection(Members.self),
        RegisteredProjection(ConversationIndex.self),
        RegisteredProjection(ChatRooms.self),
        RegisteredProjection(Known<Profile>.self),
        RegisteredProjection(Known<TeamInfo>.self),
        RegisteredProjection(Contacts.self),
        RegisteredProjection(TimelineEvents.self),
        RegisteredProjection(SyncState.self),
        RegisteredProjection(UnknownEvents.self),
    ]

    /// The tables of all, by their numbers.
    static let tables = all.flatMap(\.declaration.tables).ordered { $0.digestSeed < $1.digestSeed }

    /// The projections of version 0.1, with their versions and tables.
    static let format1 = """
        Messages 3 identities,messageStates,parkedStates,outbox,receiptMarks;\
        Timeline 2 timeline,timelineFloors,timelineRanges,timelineHeads;\
        ConversationList 3 conversations,conversationInfo,conversationOrder;\
        UnreadCounters 3 unread,unreadTotals;Members 2 members,memberLists;ConversationIndex 1 conversationIndex;\
        ChatRooms 1 chatRooms,chatRoomEntries;Profiles 2 profiles;Teams 1 teams;SyncState 2 syncState,syncCursors;\
        UnknownEvents 1 unknownEvents;MessageDetails 1 messageDetails,owedReceipts,parkedReceipts;\
        PendingChanges 1 pendingChanges;TimelineMarks 1 timelineMarks
        """
}

/// Values that queries keep while their rows do not change.
typealias KeptValues = KeptConversations

extension ProjectionID {
    /// The projections of the library, in the order in which events pass through them.
    public static let builtIn: [ProjectionID] = BuiltInProjections.all.map(\.declaration.id)

    /// The types of events that a projection of the library folds; nil for all, and for a host's.
    package var handledTypes: Set<EventType>? {
        let projection = BuiltInProjections.all.first { $0.declaration.id == self }
        guard case .types(let types)? = projection?.declaration.events else { return nil }
        return types
    }
}
