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
}

/// A projection of the library, and what it keeps decoded within a fold.
protocol BuiltInProjection: BatchFold, ~Copyable {
    static var declaration: ProjectionDeclaration { get }
    init()
}

extension ProjectionDeclaration {
    /// Declares a projection of the library.
    init<each Key: ViewKey, each Row: ViewRow>(
        _ id: ProjectionID, version: UInt32, events: HandledEvents, reads: Set<ProjectionID> = [],
        tables: repeat Table<each Key, each Row>
    ) {
        var declared: [TableDeclaration] = []
        for table in repeat (each tables).declaration {
            if let index = declared.firstIndex(where: { $0.name == table.name }) {
                declared[index].kinds += table.kinds
            } else {
                declared.append(table)
            }
        }
        self.init(id, version: version, events: events, reads: reads, tables: declared)
    }
}

extension TableDeclaration {
    /// The place of a table of the library.
    var place: ViewTable { ViewTable(rawValue: UInt8(truncatingIfNeeded: digestSeed)) }
}
