internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A host's projection: rows that follow from events, kept with the library's.
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
/// opened. Its rows are written in the same transactions as the library's, are read at the same position, have a
/// digest, are checked by `verify` and can be read at a position of the past. Raise the version whenever
/// ``apply(_:to:)`` or the rows change: then the store rebuilds them from its log, next to everything else.
public protocol Projection: Sendable {
    /// The name, version, events and tables; always the same for the life of the value.
    var declaration: ProjectionDeclaration { get }

    /// Folds an event into the projection's rows.
    ///
    /// It must be pure: its writes follow from the event and from the rows that it reads through `rows`, never from a
    /// clock, a random number or other state. It is called once for each event, in the order of the log, and again for
    /// all of them whenever the projection is rebuilt.
    ///
    /// - Throws: Any error: the store undoes the writes for the event, and the ``FailurePolicy`` decides what happens
    ///   next. The code of a ``ProjectionError`` is stored with the event.
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
    ///   - failurePolicy: The store's reaction to an `apply` that throws.
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

/// A projection of the library, and what it keeps decoded within a fold.
protocol BuiltInProjection: BatchFold, ~Copyable {
    static var declaration: ProjectionDeclaration { get }
    init()
}

extension ProjectionDeclaration {
    /// Declares a projection of the library.
    init<each Key: ViewKey, each Row: ViewRow>(
        _ id: ProjectionID, version: UInt32, events: HandledEvents, reads: Set<ProjectionID> = [],
        traits: ProjectionTraits = [], tables: repeat Table<each Key, each Row>
    ) {
        var declared: [TableDeclaration] = []
        for table in repeat (each tables).declaration {
            if let index = declared.firstIndex(where: { $0.name == table.name }) {
                declared[index].kinds += table.kinds
            } else {
                declared.append(table)
            }
        }
        self.init(id, version: version, events: events, reads: reads, traits: traits, tables: declared)
    }
}

extension TableDeclaration {
    /// The form of the table in a sealed store; nil if it is clear there, too. Of a host's table all of the key is hidden.
    var sealedForm: SealedForm? {
        if description != nil { return SealedForm { _ in 0 } }
        guard traits.contains(.sealed) else { return nil }
        let clear = kinds.compactMap(\.clearBytes)
        return clear.isEmpty
            ? SealedForm() : SealedForm { key in clear.reduce(.max) { min($0, $1(key)) } }
    }

    /// The place of a table of the library.
    var place: ViewTable { ViewTable(UInt8(truncatingIfNeeded: digestSeed), traits) }
}

/// A projection's handlers of events, by their types: it folds the types that it handles.
struct EventHandlers<Fold: ~Copyable>: Sendable {
    typealias Handler<Event: ~Escapable> =
        @Sendable (inout Fold, Event, inout FoldRows, inout FoldChanges) throws -> Void

    /// By the types' numbers, because every event is looked up.
    private var handlers: [Handler<RecordView>?] = []

    private var typeSet: Set<EventType>
    /// The types that the projection folds.
    var types: HandledEvents { .types(typeSet) }

    /// - Parameter types: Types that are folded without a handler, for what other projections made of them.
    init(following types: Set<EventType> = []) { typeSet = types }

    /// With a handler of one type, which can read no other type's fields.
    func on<Payload: EventPayload>(
        _ payload: Payload.Type, _ handler: @escaping Handler<EventView<Payload>>
    ) -> EventHandlers {
        on([payload.declaration.type]) { try handler(&$0, EventView($1), &$2, &$3) }
    }

    /// With a handler of some types.
    func on(_ types: EventType..., do handler: @escaping Handler<RecordView>) -> EventHandlers {
        on(Set(types), do: handler)
    }

    /// With a handler of some types, in place of an earlier one.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func on(_ types: Set<EventType>, do handler: @escaping Handler<RecordView>) -> EventHandlers {
        var all = self
        for type in types {
            let missing = max(0, Int(type.rawValue) + 1 - all.handlers.count)
            all.handlers += [Handler<RecordView>?](repeating: nil, count: missing)
            all.handlers[Int(type.rawValue)] = handler
            all.typeSet.insert(type)
        }
        return all
    }

    subscript(type: EventType) -> Handler<RecordView>? {
        type.rawValue < handlers.count ? handlers[Int(type.rawValue)] : nil
    }
}

/// A projection that folds what its handlers handle.
protocol HandlingProjection: BuiltInProjection, ~Copyable {
    static var handlers: EventHandlers<Self> { get }
}

extension HandlingProjection where Self: ~Copyable {
    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try Self.handlers[event.type]?(&self, event, &rows, &changes)
    }

    /// Handles an event that is no message, for a projection that does more with each event.
    @inline(__always)
    mutating func handle(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        if !event.type.isMessage { try Self.handlers[event.type]?(&self, event, &rows, &changes) }
    }
}

/// A projection's declaration: its name and version, and what it folds, keeps and reads.
///
/// A store compares declarations with the ones that its views on disk were made with. A projection whose version,
/// tables or rules differ is rebuilt together with its readers; all others are kept.
public struct ProjectionDeclaration: Sendable {
    /// The name.
    public let id: ProjectionID
    /// The version: raise it whenever `apply` or the rows change.
    public let version: UInt32
    /// The settings on which `apply` depends, as text; a changed text causes a rebuild, as a changed version does.
    public let rules: String
    /// The projections whose rows `apply` reads. They see an event before this one does.
    public let reads: Set<ProjectionID>
    /// The store's reaction to an `apply` that throws.
    public let failurePolicy: FailurePolicy
    package let events: HandledEvents
    package let tables: [TableDeclaration]
    let traits: ProjectionTraits

    init(
        _ id: ProjectionID, version: UInt32, rules: String = "", events: HandledEvents,
        reads: Set<ProjectionID> = [], failurePolicy: FailurePolicy = .stop, traits: ProjectionTraits = [],
        tables: [TableDeclaration]
    ) {
        self.id = id
        self.version = version
        self.rules = rules
        self.events = events
        self.reads = reads
        self.failurePolicy = failurePolicy
        self.traits = traits
        self.tables = tables
    }
}

/// Traits of a library's projection that the engine must know, apart from its events and tables.
struct ProjectionTraits: OptionSet, Sendable {
    let rawValue: UInt8

    /// Rows are about the account as a whole, or about users, and not about conversations.
    static let ofAccount = ProjectionTraits(rawValue: 1 << 0)
    /// A plain message changes no row: the projection follows what others make of messages, and comes after the timeline.
    static let unchangedByPlainMessages = ProjectionTraits(rawValue: 1 << 1)
    /// Known events and repeats are found by the rows; no row is kept decoded.
    static let identifiesEvents = ProjectionTraits(rawValue: 1 << 2)
    /// Nothing can be admitted without the rows.
    static let neededByAdmission = ProjectionTraits(rawValue: 1 << 3)
}

/// A store's reaction to a host's projection whose `apply` throws, or to a subscriber that fails at an event in all
/// attempts.
///
/// The store undoes a projection's writes for the event either way, while events are recorded and during a rebuild
/// alike: the event is stored as failed with its position and the code of the error, other projections continue, and
/// the event stays in the log. A rebuild of the projection tries again.
public enum FailurePolicy: Sendable, Hashable {
    /// It stops: reading the projection's rows throws `projectionFailed`; the subscription ends with the error, and its
    /// checkpoint stays before the event.
    case stop
    /// It continues with the next event; a subscription counts those skipped.
    case skip
}

/// The events that a projection folds.
package enum HandledEvents: Sendable {
    /// Every event, also of unknown types.
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
    /// The parts of keys and rows of a library's table.
    var kinds: [RowKind] = []
    /// The parts of keys and rows of a host's table; nil for the library's.
    package let description: TableDescription?
    /// Traits of the rows of a library's table, for the engine.
    var traits: TableTraits = []

    /// Types that put the rows in words: several if keys say a row's kind.
    var words: [any RowWords] { description.map { [$0] } ?? kinds }
}

extension ProjectionDeclaration {
    /// Checks a host's declaration.
    ///
    /// - Parameter registered: The declarations of the library and of projections that were registered before.
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the projection and what is wrong with it.
    func check(after registered: [ProjectionDeclaration]) throws {
        let name = id.rawValue
        guard name.isReverseDNS else {
            throw invalid("is not named in reverse-DNS notation, such as com.example.starred")
        }
        guard !registered.contains(where: { $0.id == id }) else { throw invalid("is registered twice") }
        for read in reads where !registered.contains(where: { $0.id == read }) {
            throw invalid("reads \(read), which is not registered before it")
        }
        guard tables.count > 1 else { throw invalid("has no tables") }
        var names: Set<String> = []
        for table in tables {
            let own = table.name.dropFirst(name.utf8.count + 1)
            guard table.name.hasPrefix(name + "/"), (1...64).contains(own.utf8.count),
                own.utf8.allSatisfy(Self.isAllowed)
            else { throw invalid("has a table \(table.name), which is not named after it") }
            guard names.insert(table.name).inserted else { throw invalid("has the table \(table.name) twice") }
            if let problem = table.description?.problem { throw invalid("has a table \(table.name) that \(problem)") }
        }
        let used = registered.reduce(0) { $0 + $1.tables.count }
        guard used + tables.count <= ViewTable.maximumCount, registered.count < 64 else {
            throw invalid("has more tables than there is room for: \(ViewTable.maximumCount - used)")
        }
    }

    private func invalid(_ problem: String) -> StoreError {
        StoreError(.invalidArgument, "the projection \(id) \(problem)")
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}
