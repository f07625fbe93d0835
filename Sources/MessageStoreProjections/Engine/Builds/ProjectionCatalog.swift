internal import MessageStoreLMDB

/// The projections of a store: the library's, then the host's, in the order in which events pass through them.
package final class ProjectionCatalog: Sendable {
    /// A projection with its place among the tables.
    struct Entry: Sendable {
        let declaration: ProjectionDeclaration
        let tables: [ViewTable]
        /// A bit for each of its tables.
        let tableBits: UInt64
        /// The projections that its rows follow from, itself included.
        let sources: ProjectionSet
        /// A bit for each table that it may read: its own and the tables of projections that it declares.
        let readable: UInt64
        /// All but the version on which its rows depend, in one number; 0 for the library's.
        let rules: UInt64
        let makeFold: @Sendable () -> AnyFold
    }

    /// The library's projections alone.
    package static let builtIn = ProjectionCatalog()

    let entries: [Entry]
    /// The declarations of all tables, by ``ViewTable/index``.
    let tables: [TableDeclaration]
    /// All tables.
    let places: [ViewTable]
    /// Every projection.
    let all: ProjectionSet
    /// The host's.
    let hosts: ProjectionSet
    /// Projections whose rows identify known events and repeats; they keep none decoded.
    let identification: ProjectionSet
    /// Projections without whose rows nothing can be admitted.
    let admission: ProjectionSet
    /// The version of each registered type of hosts' events.
    let eventVersions: [EventType: UInt8]
    private let indices: [ProjectionID: Int]
    private let tablesByName: [String: ViewTable]
    /// The forms of tables in a sealed store, by their names.
    let sealedForms: [String: SealedForm]

    private convenience init() {
        self.init(checked: BuiltInProjections.all)
    }

    /// Adds a host's projections to the library's.
    ///
    /// - Parameters:
    ///   - projections: The host's, in the order in which events pass through them.
    ///   - events: The host's types of events.
    /// - Throws: ``StoreError`` with code `invalidArgument` where a declaration breaks a rule.
    package convenience init(adding projections: [any Projection], events: EventTypes = .builtIn) throws {
        var registered = BuiltInProjections.all
        for projection in projections {
            let declaration = projection.declaration
            try declaration.check(after: registered.map(\.declaration))
            registered.append(RegisteredProjection(declaration) { AnyFold(HostFold(projection, declaration)) })
        }
        self.init(checked: registered, events.hostVersions)
    }

    init(checked projections: [RegisteredProjection], _ eventVersions: [EventType: UInt8] = [:]) {
        self.eventVersions = eventVersions
        var entries: [Entry] = []
        var indices: [ProjectionID: Int] = [:]
        for (index, projection) in projections.enumerated() {
            indices[projection.declaration.id] = index
        }
        var tables = BuiltInProjections.tables
        var places = ViewTable.builtIn
        for (index, projection) in projections.enumerated() {
            let own = projection.declaration.tables.map { table in
                if let known = ViewTable.builtIn.first(where: { $0.name == table.name }) { return known }
                tables.append(table)
                places.append(ViewTable(UInt8(places.count), .sealed))
                return places[places.count - 1]
            }
            let reads = projection.declaration.reads.compactMap { indices[$0] }.filter { $0 < index }
            let ownBits = own.reduce(0) { $0 | $1.bit }
            let isHosts = index >= BuiltInProjections.all.count
            entries.append(
                Entry(
                    declaration: projection.declaration, tables: own, tableBits: ownBits,
                    sources: Self.sources(of: index, projections, indices),
                    readable: reads.reduce(ownBits) { $0 | entries[$1].tableBits },
                    rules: isHosts ? projection.declaration.rulesHash(eventVersions, reads.map { entries[$0] }) : 0,
                    makeFold: projection.makeFold))
        }
        self.entries = entries
        self.tables = tables
        self.places = places
        self.indices = indices
        all = .first(entries.count)
        hosts = all.subtracting(.first(BuiltInProjections.all.count))
        let sources = { (trait: ProjectionTraits) in
            entries.filter { $0.declaration.traits.contains(trait) }.reduce(ProjectionSet()) { $0.union($1.sources) }
        }
        identification = sources(.identifiesEvents)
        admission = sources(.neededByAdmission)
        sealedForms = Dictionary(
            tables.compactMap { table in table.sealedForm.map { (table.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        tablesByName = Dictionary(zip(tables.map(\.name), places), uniquingKeysWith: { first, _ in first })
    }

    private static func sources(
        of index: Int, _ projections: [RegisteredProjection], _ indices: [ProjectionID: Int]
    ) -> ProjectionSet {
        var sources = ProjectionSet(index)
        var open = [index]
        while let next = open.popLast() {
            for id in projections[next].declaration.reads {
                guard let source = indices[id], !sources.contains(source) else { continue }
                sources.insert(ProjectionSet(source))
                open.append(source)
            }
        }
        return sources
    }
}

extension ProjectionCatalog {
    /// The place of a projection; nil if there is none of the name.
    func index(of id: ProjectionID) -> Int? { indices[id] }

    /// The names of the projections, in their order.
    package var ids: [ProjectionID] { entries.map(\.declaration.id) }

    /// The table of a name; nil if there is none.
    func table(named name: String) -> ViewTable? { tablesByName[name] }

    /// The projections of a set and all whose rows follow from theirs.
    func withReaders(_ set: ProjectionSet) -> ProjectionSet {
        entries.indices.reduce(into: set) { result, index in
            if !entries[index].sources.isDisjoint(with: set) { result.insert(ProjectionSet(index)) }
        }
    }

    /// The projections of a set and all from which their rows follow.
    func withSources(_ set: ProjectionSet) -> ProjectionSet {
        set.indices.reduce(into: set) { $0.formUnion(entries[$1].sources) }
    }

    /// The projections of some names, and all from which their rows follow; all for nil.
    func set(of ids: Set<ProjectionID>?) -> ProjectionSet {
        guard let ids else { return all }
        return withSources(
            ids.compactMap { indices[$0] }.reduce(into: ProjectionSet()) { $0.insert(ProjectionSet($1)) })
    }

    /// The projection that a table belongs to.
    func projection(of table: ViewTable) -> ProjectionID {
        guard let entry = owner(of: table) else { preconditionFailure("a table belongs to no projection") }
        return entry.declaration.id
    }

    /// The tables of some projections.
    func tables(of set: ProjectionSet) -> [ViewTable] { set.indices.flatMap { entries[$0].tables } }

    /// The bits of the tables of some projections.
    func tableBits(of set: ProjectionSet) -> UInt64 { set.indices.reduce(0) { $0 | entries[$1].tableBits } }

    /// The projection that owns a table.
    func owner(of table: ViewTable) -> Entry? { entries.first { $0.tables.contains(table) } }

    /// A projection's digest, from its tables' digests.
    func digest(of projection: Int, _ tables: [UInt64]) -> UInt64 {
        entries[projection].tables.reduce(0) { sum, table in
            sum &* 0x9E37_79B1_85EB_CA87 &+ tables[table.index]
        }
    }

    /// The digests of some projections, from the digests of all tables.
    func digests(of set: ProjectionSet, _ tables: [UInt64]) -> [ProjectionID: UInt64] {
        Dictionary(uniqueKeysWithValues: set.indices.map { (entries[$0].declaration.id, digest(of: $0, tables)) })
    }
}

/// A projection as it is registered.
struct RegisteredProjection: Sendable {
    let declaration: ProjectionDeclaration
    let makeFold: @Sendable () -> AnyFold

    init(_ declaration: ProjectionDeclaration, makeFold: @escaping @Sendable () -> AnyFold) {
        self.declaration = declaration
        self.makeFold = makeFold
    }

    /// Registers a projection of the library.
    @inline(__always)
    init<Fold: BuiltInProjection & ~Copyable & SendableMetatype>(_ fold: Fold.Type) {
        self.init(Fold.declaration) { AnyFold(Fold()) }
    }
}

/// Some of a catalogue's projections, by their places in it.
package struct ProjectionSet: OptionSet, Sendable, Hashable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The set of one projection.
    package init(_ index: Int) { rawValue = 1 << UInt64(index) }

    package static func first(_ count: Int) -> ProjectionSet {
        ProjectionSet(rawValue: count == 64 ? .max : 1 << UInt64(count) - 1)
    }

    package func contains(_ index: Int) -> Bool { rawValue >> UInt64(index) & 1 == 1 }

    /// The places, ascending.
    package var indices: [Int] {
        var (indices, left): ([Int], UInt64) = ([], rawValue)
        while left != 0 {
            indices.append(left.trailingZeroBitCount)
            left &= left &- 1
        }
        return indices
    }
}

/// A projection of a store, and the state of its rows.
public struct ProjectionStatus: Sendable, Hashable {
    /// The state of a projection's rows.
    public enum State: Sendable, Hashable {
        /// They are kept up to date.
        case current
        /// They are being rebuilt or wait to be; until then queries throw `rebuilding`.
        case rebuilding
        /// The projection is not registered: its rows stay as they were at ``ProjectionStatus/position``.
        case unregistered
    }

    /// The name.
    public let id: ProjectionID
    /// The version that made the rows; the registered one while they are being rebuilt.
    public let version: UInt32
    /// The state of the rows.
    public let state: State
    /// The position of the rows; how far the rebuild has come while they are being rebuilt.
    public let position: Position

    /// Creates the value, for tests and previews.
    public init(id: ProjectionID, version: UInt32, state: State, position: Position) {
        self.id = id
        self.version = version
        self.state = state
        self.position = position
    }
}

extension ViewDiagnostics {
    /// Every projection that has rows or is registered, in the order in which events pass through them; unregistered
    /// ones follow by name.
    ///
    /// Costs a look at the checkpoint.
    ///
    /// - Throws: `StoreError`.
    public static func projections(in views: borrowing Views) throws -> [ProjectionStatus] {
        let catalog = views.snapshot.plan.catalog
        let stored = try views.snapshot.storedCheckpoint()?.projections ?? [:]
        let reached = views.snapshot.scope.rebuild.current?.reached ?? .origin
        let registered = catalog.entries.indices.map { index in
            let declaration = catalog.entries[index].declaration
            let isCurrent = views.snapshot.plan.folded.contains(index)
            return ProjectionStatus(
                id: declaration.id, version: declaration.version, state: isCurrent ? .current : .rebuilding,
                position: isCurrent ? views.snapshot.position : reached)
        }
        let others = stored.filter { catalog.index(of: $0.key) == nil }.map { id, part in
            ProjectionStatus(id: id, version: part.version, state: .unregistered, position: part.position)
        }
        return registered + others.ordered { $0.id.rawValue < $1.id.rawValue }
    }
}
