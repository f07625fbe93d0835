/// What a projection is: its name and version, what it folds, what it keeps, and what it reads.
///
/// A store compares declarations with those that its views on disk were made with. A projection whose version, tables
/// or rules differ is rebuilt together with those that read it; all others are kept.
public struct ProjectionDeclaration: Sendable {
    /// The name.
    public let id: ProjectionID
    /// The version: raise it whenever `apply` or the rows change.
    public let version: UInt32
    /// The settings on which `apply` depends, as text; a changed text causes a rebuild, as a changed version does.
    public let rules: String
    /// The projections whose rows `apply` reads. They see an event before this one does.
    public let reads: Set<ProjectionID>
    /// What happens when `apply` throws.
    public let failurePolicy: FailurePolicy
    package let events: HandledEvents
    package let tables: [TableDeclaration]

    package init(
        _ id: ProjectionID, version: UInt32, rules: String = "", events: HandledEvents,
        reads: Set<ProjectionID> = [], failurePolicy: FailurePolicy = .stop, tables: [TableDeclaration]
    ) {
        self.id = id
        self.version = version
        self.rules = rules
        self.events = events
        self.reads = reads
        self.failurePolicy = failurePolicy
        self.tables = tables
    }
}

/// What happens to a host's projection whose `apply` throws, or to a subscriber that fails at an event in all attempts.
///
/// What a projection wrote for the event is undone either way, while events are recorded and during a rebuild alike: the
/// event is stored as failed with its position and the code of the error, other projections continue, and the event
/// stays in the log. A rebuild of the projection tries again.
public enum FailurePolicy: Sendable, Hashable {
    /// It stops: reading the projection's rows throws `projectionFailed`; the subscription ends with the error, and its
    /// checkpoint stays before the event.
    case stop
    /// It continues with the next event; a subscription counts those skipped.
    case skip
}

/// Which events a projection folds.
package enum HandledEvents: Sendable {
    /// Every event, those of unknown types included.
    case all
    /// Events of these types.
    case types(Set<EventType>)
    /// Events that no type of the library describes.
    case unknown
    /// No event of itself, but what the library's other projections changed of the conversation index for one.
    case indexChanges
}

/// A table of a projection.
package struct TableDeclaration: Sendable {
    /// The name in the views' environment.
    package let name: String
    /// The seed of the digest of its rows.
    package let digestSeed: UInt64
    /// What keys and rows of a library's table hold.
    var kinds: [RowKind] = []
    /// What keys and rows of a host's table hold; nil for the library's.
    package let description: TableDescription?
    /// Whether the rows of a library's table lie, many to a value, in chunks.
    var isInChunks = false

    /// What puts the rows in words: several where keys say of which kind a row is.
    var words: [any RowWords] { description.map { [$0] } ?? kinds }
}
