internal import MessageStoreLMDB
package import MessageStoreSealing

/// Views of a log that go to any position of it, back as well as forth.
///
/// They are folded into an environment of their own, next to the views that are used. Every few thousand events the
/// folded rows are written there and LMDB's snapshot of them is kept: a copy-on-write tree shares what did not change.
/// Going back folds the events after the nearest snapshot; beyond the last one the log is folded on. If snapshots
/// become too many, every second one is let go, and those to come lie twice as far apart.
///
/// Identities would touch a page each, so they stay in runs that snapshots share, until there are many. When a snapshot
/// is kept its runs move into files: thousands of events lie between snapshots, so few of their runs are the same.
package final class ReplayedViews: Sendable {
    /// Limits of the room that they take.
    package struct Limits: Sendable {
        /// Events between two snapshots, at first.
        package var interval: UInt64 = 4096
        /// Snapshots kept at a time; each takes one of LMDB's slots for readers.
        package var snapshots = 512
        /// Identities in runs, 24 bytes each, before they are written as well.
        package var identities = 1 << 20
        /// Bytes of address space; where more are needed, all snapshots are let go.
        package var mapSize = 1 << 34

        package init() {}
    }

    /// The snapshot and the layers that are kept of a position.
    private struct Layer {
        let checkpoint: Checkpoint
        let snapshot: KeptSnapshot
        /// Empty but for identities.
        let rows: RowLayer

        var position: Position { checkpoint.position }
    }

    private struct State {
        var environment: ViewEnvironment
        var layers: [Layer]
        /// Events between two layers.
        var interval: UInt64
        var buffer: ViewBuffer
    }

    private let log: EventLog
    private let path: String
    private let storeID: [UInt8]
    package let catalog: ProjectionCatalog
    private let plan: FoldPlan
    private let limits: Limits
    private let key: SecretKey?
    private let state: Locked<State>

    /// The events that are folded, and the limits.
    package struct Options: Sendable {
        package var limits = Limits()
        /// The events that replace some of the log's; nil for none.
        package var rewriting: LogRewriting?
        /// The projections that are folded, with those that they read; nil for all. Queries of the others throw.
        package var projections: Set<ProjectionID>?

        package init() {}
    }

    /// - Parameters:
    ///   - path: The path of the views next to which these are.
    ///   - key: Seals rows that hold words, names or ids; nil for clear views.
    package init(
        nextTo path: String, _ log: EventLog, storeID: [UInt8], _ catalog: ProjectionCatalog, _ options: Options,
        key: SecretKey?
    ) throws {
        self.log = options.rewriting.map { EventLog(log, rewritten: $0) } ?? log
        self.path = Environment.newPath(nextTo: path, .building)
        self.storeID = storeID
        self.catalog = catalog
        (limits, self.key) = (options.limits, key)
        plan = FoldPlan(catalog, folded: catalog.set(of: options.projections), FoldReports())
        state = Locked(try Self.begin(self.log, self.path, storeID, plan, limits, key))
    }

    deinit { try? FileSystem.remove(path) }

    /// The state at the log's beginning.
    private static func begin(
        _ log: EventLog, _ path: String, _ storeID: [UInt8], _ plan: FoldPlan, _ limits: Limits,
        _ key: SecretKey?
    ) throws -> State {
        try FileSystem.remove(path)
        let environment = try ViewEnvironment.create(
            path: path, storeID: storeID, plan.catalog, durability: .none, mapSize: limits.mapSize, key: key)
        let checkpoint = Checkpoint(storeID: storeID, plan.catalog)
        let rows = RowLayer(position: .origin, tables: plan.catalog.tables.count)
        let layer = Layer(checkpoint: checkpoint, snapshot: try KeptSnapshot(of: environment.environment), rows: rows)
        return State(
            environment: environment, layers: [layer], interval: limits.interval,
            buffer: ViewBuffer(log, environment, checkpoint, plan, active: rows))
    }

    /// The symbols of the log, and of events that replace others.
    package var symbols: SymbolTable { log.symbols }

    /// Whether some of these are of no other views.
    package var hasOwnSymbols: Bool { log.hasOwnSymbols }

    /// Moves to a position of the durable log and runs `body` with the views there.
    package func read<Result>(
        at position: Position, progress: FoldProgress = { _, _ in }, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        try state.withLock { state throws in
            let views = Views(try move(to: position, &state, progress))
            return try body(views)
        }
    }

    /// Moves through ascending positions of the durable log and runs `body` with the views at each, until it returns
    /// false.
    ///
    /// - Returns: Whether `body` never returned false.
    package func forEach(
        _ positions: [Position], progress: FoldProgress = { _, _ in }, _ body: (borrowing Views) throws -> Bool
    ) throws -> Bool {
        try state.withLock { state throws in
            var rest = positions[...]
            while let first = rest.first {
                let index = try approach(first, &state, progress)
                let layer = state.layers[index]
                // The position of the next snapshot, or of the next one to keep.
                let end =
                    index + 1 < state.layers.count
                    ? state.layers[index + 1].position : Position(layer.position.rawValue + state.interval)
                let part = rest.prefix { $0 < end }
                rest = rest.dropFirst(part.count)
                do {
                    let log = try log.durableSnapshot()
                    guard try state.buffer.forEach(part, over: layer.snapshot.read(), log, body) else { return false }
                } catch {
                    rebase(on: layer, &state)
                    throw error
                }
            }
            return true
        }
    }

    /// Reports the rows that differ between two positions of the durable log.
    ///
    /// Costs a look at the changed rows where both follow the same snapshot, else at all rows.
    ///
    /// - Parameter body: Called with each, the earlier row as the first.
    package func compare(
        _ earlier: Position, _ later: Position, progress: FoldProgress, _ body: (DifferingRow) -> Void
    ) throws {
        precondition(earlier <= later, "a comparison goes back")
        guard earlier < later else { return }
        try state.withLock { state throws in
            guard later.rawValue - earlier.rawValue <= state.interval else {
                // The later one first: on the way to it snapshots are added, for which no read may be open.
                let after = try move(to: later, &state, progress)
                try move(to: earlier, &state, progress).compare(with: after, body)
                return
            }
            let before = try move(to: earlier, &state, progress)
            let layer = state.layers.lastIndex { $0.position <= earlier } ?? 0
            // A later fold must not leave out the next snapshot if this one passes it.
            defer {
                if later.rawValue >= state.layers[layer].position.rawValue + state.interval {
                    rebase(on: state.layers[layer], &state)
                }
            }
            try before.compareBuffers(with: fold(to: later, &state, state.layers[layer]), body)
        }
    }

    /// The decisions of projections against the events up to a position, and further ones where the views were there.
    package func reports(through last: Position, progress: FoldProgress) throws -> [Position: [FoldReport]] {
        try state.withLock { state throws in
            if state.buffer.active.position < last { _ = try move(to: last, &state, progress) }
            return plan.reports?.all ?? [:]
        }
    }

    /// Finds events by which no row changed, other than which identities are known.
    ///
    /// Costs a fold of the way, and some microseconds for each event that is looked at.
    ///
    /// - Parameter positions: The events to look at, in order.
    package func eventsWithoutEffect(among positions: [Position]) throws -> [Position] {
        let wanted = Set(positions)
        let stops = Set(positions.flatMap { [Position($0.rawValue - 1), $0] }).ordered()
        var (found, undecided): ([Position], [Position]) = ([], [])
        var before: RowLayer?
        _ = try forEach(stops) { views in
            let position = views.position
            if wanted.contains(position) {
                if let before, before.base == views.snapshot.active.base {
                    if try !views.snapshot.hasChanges(since: before) { found.append(position) }
                } else {
                    undecided.append(position)
                }
            }
            // As long as there is a copy, every change copies what it touches.
            before = wanted.contains(Position(position.rawValue + 1)) ? views.snapshot.active : nil
            return true
        }
        // The positions at which a snapshot lies.
        for position in undecided {
            var hasChanges = false
            try compare(Position(position.rawValue - 1), position, progress: { _, _ in }) { row in
                let key = row.key
                if !row.table.isUnseen(at: key.span.bytes) { hasChanges = true }
            }
            if !hasChanges { found.append(position) }
        }
        return found.ordered()
    }

    /// Reports the rows that differ from those of other views of the same log at a position.
    ///
    /// - Parameter body: Called with each, the other views' row as the first.
    package func compare(
        with other: ReplayedViews, at position: Position, progress: FoldProgress, _ body: (DifferingRow) -> Void
    ) throws {
        guard other !== self else { return }
        // The same order in every thread.
        let isFirst = ObjectIdentifier(self) < ObjectIdentifier(other)
        try (isFirst ? state : other.state).withLock { one throws in
            try (isFirst ? other.state : state).withLock { two throws in
                // On the way snapshots are added, for which no read may be open.
                _ = try (isFirst ? self : other).move(to: position, &one, progress)
                _ = try (isFirst ? other : self).move(to: position, &two, progress)
                let first = try (isFirst ? self : other).move(to: position, &one, progress)
                let second = try (isFirst ? other : self).move(to: position, &two, progress)
                if isFirst {
                    try second.compare(with: first, body)
                } else {
                    try first.compare(with: second, body)
                }
            }
        }
    }

    private func move(to position: Position, _ state: inout State, _ progress: FoldProgress) throws -> ViewSnapshot {
        let index = try approach(position, &state, progress)
        return try fold(to: position, &state, state.layers[index])
    }

    /// Goes as near to a position as no snapshot lies between.
    ///
    /// - Returns: Over which snapshot that is.
    private func approach(_ position: Position, _ state: inout State, _ progress: FoldProgress) throws -> Int {
        if state.layers.isEmpty || state.layers[0].position > position {
            state.layers = []
            var limits = limits
            limits.mapSize = max(limits.mapSize, state.environment.environment.mapSize)
            state = try Self.begin(log, path, storeID, plan, limits, key)
        }
        var index = (state.layers.lastIndex { $0.position <= position }) ?? 0
        // Not by a copy of the layer: as long as there is one, every change copies what it touches.
        let (reached, base) = (state.buffer.active.position, state.buffer.active.base)
        if reached > position || base < state.layers[index].position { rebase(on: state.layers[index], &state) }
        while true {
            let end = state.layers[index].position.rawValue + state.interval
            let isFrontier = index == state.layers.count - 1
            guard isFrontier, end <= position.rawValue else { break }
            _ = try fold(to: Position(end), &state, state.layers[index])
            try addLayer(&state)
            index = state.layers.count - 1
            try progress(Position(end), position)
        }
        return index
    }

    /// Goes on over a layer, with an empty buffer.
    private func rebase(on layer: Layer, _ state: inout State) {
        state.buffer = ViewBuffer(log, state.environment, layer.checkpoint, plan, active: layer.rows)
    }

    private func fold(to position: Position, _ state: inout State, _ layer: Layer) throws -> ViewSnapshot {
        do {
            let log = try log.durableSnapshot()
            return try state.buffer.snapshot(at: position, over: layer.snapshot.read(), log)
        } catch {
            rebase(on: layer, &state)
            throw error
        }
    }

    /// Writes what was folded over the last layer, and keeps a snapshot of it.
    private func addLayer(_ state: inout State) throws {
        let rows = state.buffer.active
        var checkpoint = state.buffer.checkpoint
        checkpoint.position = rows.position
        let keeps = rows.identityCount < limits.identities
        do {
            try state.environment.write(rows, of: catalog.all, checkpoint, keepsIdentities: keeps, pages: 4096)
        } catch let error as LMDBError where error.code == .mapFull && !state.layers.isEmpty {
            // The map cannot grow under snapshots; they are made again when somebody goes back.
            state.layers = []
            try state.environment.write(rows, of: catalog.all, checkpoint, keepsIdentities: keeps, pages: 4096)
        }
        let written = try state.environment.checkpoint(writtenAt: rows.position)
        let next = try rows.next(keepingIdentitiesIn: keeps ? path : nil)
        state.layers.append(
            Layer(checkpoint: written, snapshot: try KeptSnapshot(of: state.environment.environment), rows: next))
        state.buffer = ViewBuffer(log, state.environment, written, plan, active: next)
        if state.layers.count > limits.snapshots { thin(&state) }
    }

    /// Lets every second layer go, but for the first and the last.
    private func thin(_ state: inout State) {
        let last = state.layers.count - 1
        state.layers = state.layers.enumerated().filter { $0.offset.isMultiple(of: 2) || $0.offset == last }
            .map(\.element)
        state.interval *= 2
    }
}
