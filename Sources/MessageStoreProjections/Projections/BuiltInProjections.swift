@_spi(Storage) internal import MessageStoreLog

/// The projections of the library. The order matters: a projection sees an event after those that it reads.
enum BuiltInProjections {
    static let all = [
        RegisteredProjection(Messages.self),
        RegisteredProjection(Timeline.self),
        RegisteredProjection(TimelineMarks.self),
        RegisteredProjection(MessageDetails.self),
        RegisteredProjection(Settings.self),
        RegisteredProjection(ConversationList.self),
        RegisteredProjection(UnreadCounters.self),
        RegisteredProjection(PendingChanges.self),
        RegisteredProjection(MessageMarks.self),
        RegisteredProjection(Threads.self),
        RegisteredProjection(MessageEdits.self),
        RegisteredProjection(LocalFiles.self),
        RegisteredProjection(Members.self),
        RegisteredProjection(ConversationIndex.self),
        RegisteredProjection(ChatRooms.self),
        RegisteredProjection(Profiles.self),
        RegisteredProjection(Teams.self),
        RegisteredProjection(Contacts.self),
        RegisteredProjection(TimelineEvents.self),
        RegisteredProjection(SyncState.self),
        RegisteredProjection(UnknownEvents.self),
    ]
}

/// A projection of the library, and what it keeps decoded within a fold.
protocol BuiltInProjection: BatchFold, ~Copyable {
    static var declaration: ProjectionDeclaration { get }
    init()
}

extension ProjectionDeclaration {
    /// Declares a projection of the library.
    init(
        _ id: ProjectionID, version: UInt32, events: HandledEvents, reads: Set<ProjectionID> = [],
        tables: [ViewTable]
    ) {
        self.init(id, version: version, events: events, reads: reads, tables: tables.map { TableDeclaration($0) })
    }
}

extension TableDeclaration {
    /// A table of the library.
    init(_ table: ViewTable) {
        self.init(name: table.name, digestSeed: UInt64(table.rawValue), description: nil)
    }
}

extension Set<EventType> {
    /// The events by which rows of the timeline change.
    static let changingTimeline: Set<EventType> = [
        .messageReceived, .messageInsertedLocally, .messageSendQueued, .messageSent, .messageModified,
        .messageRecalled, .messagesDeleted, .messageDelivered, .messageReadByPeer, .messageStatusOverridden,
        .messageStatusFlagsSet, .attachmentStateChanged, .messageFiltered, .messageDuplicateSuppressed,
        .messageSnapshotReceived, .historyCleared, .conversationDeleted, .chatRoomLeft,
    ]
}
