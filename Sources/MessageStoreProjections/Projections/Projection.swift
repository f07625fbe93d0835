/// A host's projection: rows that follow from events, kept with those of the library.
///
/// ```swift
/// struct Pins: Projection {
///     static let table = ProjectionTable<Pin, ConversationKey>("com.example.pins", "pins", key: "conversation")
///
///     var declaration: ProjectionDeclaration {
///         ProjectionDeclaration("com.example.pins", version: 1, handles: [.conversationPinned], tables: Self.table)
///     }
///
///     func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
///         guard let conversation = try event.conversation else { return }
///         try rows.put(Pin(event.recordedTime), in: Self.table, at: conversation)
///     }
/// }
/// ```
///
/// `Pin` is a row with one field, a `FieldGroup`. Register the projection in the configuration with which the store is
/// opened. Its rows are written in the same transactions as those of the library, are read at the same position, have a
/// digest, are checked by `verify` and can be read at a position of the past. Raise the version whenever
/// ``apply(_:to:)`` or the rows change: then the store rebuilds them from its log, next to everything else.
public protocol Projection: Sendable {
    /// The name, version, events and tables; always the same for the life of the value.
    var declaration: ProjectionDeclaration { get }

    /// Folds an event into the projection's rows.
    ///
    /// It must be pure: what it writes follows from the event and from the rows that it reads through `rows`, never
    /// from a clock, a random number or other state. It is called once for each event, in the order of the log, and
    /// again for all of them whenever the projection is rebuilt.
    ///
    /// - Throws: Any error: what was written for the event is undone, and the ``FailurePolicy`` decides what
    ///   happens next. The code of a ``ProjectionError`` is stored with the event.
    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws
}

/// The reason why a projection could not fold an event, as a number that the host defines.
public struct ProjectionError: Error, Hashable, Sendable {
    /// The number that is stored with the event.
    public let code: Int32

    /// Creates the error.
    public init(code: Int32) { self.code = code }
}

extension ProjectionDeclaration {
    /// Declares a host's projection.
    ///
    /// - Parameters:
    ///   - id: A reverse-DNS name of 3 to 128 lower-case letters, digits, dots and hyphens.
    ///   - version: Raised whenever `apply` or the rows change.
    ///   - rules: The settings on which `apply` depends, as text; a changed text causes a rebuild, as a changed version
    ///     does.
    ///   - events: The types of events to fold, of the library and of hosts.
    ///   - reads: The projections whose rows `apply` reads: of the library, or registered before this one.
    ///   - failurePolicy: What happens when `apply` throws.
    ///   - tables: Its tables, at least one.
    public init<each Row: FieldGroup, each Key>(
        _ id: ProjectionID, version: UInt32, rules: String = "", handles events: Set<EventType>,
        reads: Set<ProjectionID> = [], failurePolicy: FailurePolicy = .stop,
        tables: repeat ProjectionTable<each Row, each Key>
    ) {
        var declared: [TableDeclaration] = []
        for table in repeat each tables { declared.append(table.declaration) }
        declared.append(FailedEvent.table(of: id).declaration)
        self.init(
            id, version: version, rules: rules, events: .types(events), reads: reads, failurePolicy: failurePolicy,
            tables: declared)
    }
}
