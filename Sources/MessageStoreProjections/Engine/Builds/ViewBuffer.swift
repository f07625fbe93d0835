internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

/// The write buffer over the views' environment: every build of views folds into it and is read from it.
///
/// It has two layers at most: a frozen one, which is being written, and the one that fills.
struct ViewBuffer {
    private let log: EventLog
    private let rebuild: RebuildState
    /// Whether reads of the process that writes the log are served: conversations that they assemble are kept, and the
    /// log may take events back that were staged.
    private let isServed: Bool
    /// The views on disk; nil if none are usable: everything is folded in memory.
    private(set) var environment: ViewEnvironment?
    /// The environment's checkpoint.
    private(set) var checkpoint: Checkpoint
    /// The projections that are folded and read; the others are being rebuilt.
    private(set) var plan: FoldPlan
    /// The conversations whose events are folded; nil for all.
    private let shard: FoldShard?
    private(set) var frozen: RowLayer?
    private(set) var active: RowLayer
    /// The fold into the filling layer whose projections keep rows decoded; nil if all rows are written.
    private var open: OpenFold?
    /// Notes of rows' changes since the layers below the buffer are the present ones; nil if a new history begins.
    private var history: RowHistory?
    /// The values that every read asks of the environment, as of the commit that the last one saw.
    private var stored: StoredRows?
    /// While a rebuild replaces rows on disk: the last commit before that one.
    private var replacedAfter: UInt64?

    /// An empty buffer over views on disk, or over none.
    init(
        _ log: EventLog, _ environment: ViewEnvironment?, _ checkpoint: Checkpoint, _ plan: FoldPlan,
        rebuild: RebuildState = RebuildState(), isServed: Bool = false, shard: FoldShard? = nil
    ) {
        self.log = log
        self.rebuild = rebuild
        self.isServed = isServed
        self.shard = shard
        self.environment = environment
        self.checkpoint = checkpoint
        self.plan = plan
        active = RowLayer(position: checkpoint.position, tables: plan.catalog.tables.count)
    }

    /// An empty buffer over views on disk, of a catalogue's projections that have rows there.
    init(
        _ log: EventLog, _ environment: ViewEnvironment?, _ checkpoint: Checkpoint, _ catalog: ProjectionCatalog,
        rebuild: RebuildState = RebuildState(), isServed: Bool = false
    ) {
        let plan = FoldPlan(catalog, folded: checkpoint.current(in: catalog))
        self.init(
            log, environment, checkpoint, plan, rebuild: rebuild, isServed: isServed)
    }

    /// A buffer over a checkpoint of views on disk that has begun to fill.
    init(_ log: EventLog, _ environment: ViewEnvironment, _ checkpoint: Checkpoint, _ plan: FoldPlan, active: RowLayer)
    {
        self.init(log, environment, checkpoint, plan)
        self.active = active
    }

    /// Takes over the rows that parts have folded.
    mutating func take(_ layer: RowLayer) {
        precondition(layer.base == base && active.position == base, "the rows of parts are not based on the buffer")
        active = layer
    }

    /// Goes on over other views on disk, or over none.
    ///
    /// - Parameter rows: The rows folded over them; nil for nothing.
    mutating func use(_ environment: ViewEnvironment?, _ checkpoint: Checkpoint, active rows: RowLayer? = nil) {
        self = ViewBuffer(log, environment, checkpoint, plan.catalog, rebuild: rebuild, isServed: isServed)
        if let rows { active = rows }
    }

    /// The position below the filling layer.
    private var base: Position { frozen?.position ?? checkpoint.position }

    private func emptyLayer(at position: Position) -> RowLayer {
        RowLayer(position: position, tables: plan.catalog.tables.count)
    }

    /// How far the buffer is.
    var status: BufferStatus {
        BufferStatus(
            position: active.position, checkpoint: checkpoint.position,
            rows: active.rowCount + (frozen?.rowCount ?? 0), bytes: active.byteCount + (frozen?.byteCount ?? 0))
    }
}

// MARK: Folding and reading

extension ViewBuffer {
    /// Records folded between two looks at the buffer's size and two reports of progress.
    static let chunk: UInt64 = 16_384

    /// Rows of so many conversations stay decoded at most, which bounds how long whoever wants to see them waits.
    private static let openConversations = 1024

    /// Folds the records after the filling layer's position up to `last`.
    ///
    /// Rows of conversations stay decoded until somebody wants to see them or the layer is frozen: the next events are
    /// mostly of the same ones. If folding fails, the filling layer is left empty, as it is by a ``snapshot(at:isFinished:)``.
    mutating func fold(to last: Position) throws {
        if last > active.position { _ = try snapshot(at: last, isFinished: false) }
    }

    /// The views at `last`, as far as admission asks them mostly: the rows that are kept decoded are of other
    /// projections.
    mutating func admissionSnapshot(at last: Position) throws -> ViewSnapshot {
        var snapshot = try snapshot(at: last, isFinished: false)
        snapshot.scope.limit(to: plan.catalog.identification)
        return snapshot
    }

    /// The views at `last`, to which the log is folded, or at the filling layer's position where that is further.
    ///
    /// - Parameter isFinished: Whether no row is left decoded.
    mutating func snapshot(at last: Position, isFinished: Bool = true) throws -> ViewSnapshot {
        // The log's first: it waits while its map grows, and no read of the views may be open meanwhile.
        let log = try log.snapshot()
        // The log has fewer events than the views were folded from while staged ones are being taken back.
        if isServed { rewind(to: self.log.lastPosition) }
        return try self.snapshot(at: last, over: try environment?.environment.beginRead(), log, isFinished: isFinished)
    }

    /// The views at `last`, to which the log is folded, over a read of the environment.
    ///
    /// If folding fails, the filling layer is left empty: the next call folds its rows again.
    ///
    /// - Parameter isFinished: Whether no row is left decoded.
    mutating func snapshot(
        at last: Position, over base: consuming ReadTransaction?, _ logSnapshot: consuming LogSnapshot,
        isFinished: Bool = true, progress: FoldProgress = { _, _ in }
    ) throws -> ViewSnapshot {
        try useReplacedRows(of: base)
        // Mostly there is nothing to fold.
        if active.position >= last, open == nil || !isFinished {
            return try view(active, over: base, logSnapshot, currentHistory())
        }
        var rows = try beginRows(over: base, logSnapshot)
        var fold = takeFold()
        while rows.position < last {
            let before = rows.position
            let next = Position(min(last.rawValue, before.rawValue + Self.chunk))
            try self.fold(log.snapshot(), to: next, &fold, &rows)
            // Staged events may have been taken back since.
            guard rows.position > before else { break }
            if fold.openConversations > Self.openConversations { try fold.finishBatch(&rows) }
            try progress(next, last)
        }
        if isFinished { try fold.finishBatch(&rows) }
        let snapshot = rows.finish()
        active = snapshot.active
        history = snapshot.scope.history
        open = isFinished ? nil : OpenFold(fold)
        return snapshot
    }

    /// Folds the log up to each of some ascending positions and runs `body` with the views there, until it returns
    /// false.
    ///
    /// All that folding and reading need is made once for all of them. If anything throws, the filling layer is left
    /// empty.
    ///
    /// - Returns: Whether `body` never returned false.
    mutating func forEach(
        _ positions: some Sequence<Position>, over base: consuming ReadTransaction?,
        _ logSnapshot: consuming LogSnapshot, _ body: (borrowing Views) throws -> Bool
    ) throws -> Bool {
        let scanned = try log.snapshot()
        try useReplacedRows(of: base)
        var rows = try beginRows(over: base, logSnapshot)
        var fold = takeFold()
        var goesOn = true
        for position in positions where goesOn {
            if position > rows.position { try self.fold(scanned, to: position, &fold, &rows) }
            try fold.finishBatch(&rows)
            goesOn = try body(rows.views)
        }
        try fold.finishBatch(&rows)
        active = rows.finish().active
        return goesOn
    }

    /// The fold that is open, or a new one; to be taken with the filling layer, whose rows it keeps decoded.
    private mutating func takeFold() -> Fold {
        defer { open = nil }
        return open?.fold.take() ?? Fold(plan)
    }

    /// The rows that a fold changes, with the filling layer; until it is given back an empty one takes its place.
    private mutating func beginRows(
        over base: consuming ReadTransaction?, _ logSnapshot: consuming LogSnapshot
    ) throws -> FoldRows {
        var history = currentHistory()
        // If folding fails, the changed rows are unknown.
        self.history = nil
        history?.beginFold()
        var rows = FoldRows(try view(emptyLayer(at: active.base), over: base, logSnapshot, history))
        // Lent to the rows alone, so that it is changed in place.
        rows.swapLayer(&active)
        return rows
    }

    /// A filling layer over the layers below it.
    private mutating func view(
        _ layer: RowLayer, over base: consuming ReadTransaction?, _ logSnapshot: consuming LogSnapshot,
        _ history: RowHistory?
    ) throws -> ViewSnapshot {
        precondition(layer.base == self.base, "the filling layer is not based on what is below it")
        let tables = environment?.tables ?? []
        let stored = try stored(in: base)
        return ViewSnapshot(
            active: layer, frozen: frozen, base: base, stored, tables: tables, log: logSnapshot,
            ReadScope(plan, rebuild, history: history))
    }

    private mutating func currentHistory() -> RowHistory? {
        if isServed, history == nil { history = RowHistory() }
        return history
    }

    /// Lets go of the conversations that reads assembled: something that they are made of changed without a fold.
    mutating func endHistory() { history = nil }

    private mutating func stored(in base: borrowing ReadTransaction?) throws -> StoredRows {
        if let stored, stored.isStill(in: base) { return stored }
        let found = try StoredRows(in: base, of: environment)
        stored = found
        return found
    }

    /// Whether a read of the environment sees what the last one saw.
    func isStill(over base: borrowing ReadTransaction?) -> Bool { stored?.isStill(in: base) ?? false }

    /// Folds the records after the rows' position up to `last`.
    private func fold(
        _ scanned: borrowing LogSnapshot, to last: Position, _ fold: inout Fold, _ rows: inout FoldRows
    ) throws {
        let first = Position(rows.position.rawValue + 1)
        rows.shard = shard
        if let shard {
            try scanned.scan(
                from: first, to: last,
                where: { shard.owns($0) || shard.isFirst && plan.route(of: $0) & plan.ofAccount != 0 },
                readsChecksums: false, entering: { rows.takeClaims(of: $0) }
            ) { record in
                try fold.apply(record, &rows, only: shard.owns(record) ? .max : plan.ofAccount)
                return .proceed
            }
            rows.position = last
            return
        }
        try scanned.scan(
            from: first, to: last, readsChecksums: false, entering: { rows.takeClaims(of: $0) }
        ) { record in
            precondition(
                record.position.rawValue == rows.position.rawValue + 1 || log.isRewritten
                    || record.position <= scanned.replayStart,
                "a record is folded twice or passed over")
            try fold.apply(record, &rows)
            return .proceed
        }
        // The last events of a rewritten log may be gone.
        if log.isRewritten { rows.position = last }
        // The last ones up to there may have been cut off.
        if last < scanned.replayStart { rows.position = last }
    }
}

// MARK: Replacing rows on disk

extension ViewBuffer {
    /// Notes that the next commit to the environment replaces rows by a rebuild's.
    mutating func willReplaceRows() throws {
        replacedAfter = try environment?.environment.read { $0.commitNumber }
    }

    /// Goes on over the rows that were committed; nil if none were.
    mutating func didReplaceRows(_ checkpoint: Checkpoint?) {
        // A read that came first has done so.
        guard replacedAfter != nil else { return }
        replacedAfter = nil
        if let checkpoint { use(environment, checkpoint) }
    }

    /// Goes on over the replaced rows, if a read sees them before the rebuild has come back from its commit: buffered
    /// rows were folded from the old ones.
    private mutating func useReplacedRows(of base: borrowing ReadTransaction?) throws {
        guard let replacedAfter, let environment else { return }
        let checkpoint: Checkpoint? =
            switch base {
            case .some(let base) where base.commitNumber > replacedAfter: try environment.checkpoint(in: base)
            default: nil
            }
        if let checkpoint { use(environment, checkpoint) }
    }
}

// MARK: Writing

extension ViewBuffer {
    /// Makes the filling layer the frozen one, unless there is one or nothing was folded; answers whether there is one.
    mutating func freeze() throws -> Bool {
        if frozen == nil {
            if open != nil { _ = try snapshot(at: active.position) }
            guard active.position > checkpoint.position else { return false }
            frozen = active
            active = emptyLayer(at: active.position)
        }
        return true
    }

    /// Notes where the frozen layer is written; views that were never on disk had no environment.
    mutating func write(to environment: ViewEnvironment) {
        if environment !== self.environment { stored = nil }
        self.environment = environment
    }

    /// Drops the frozen layer, which was written.
    mutating func noteWritten(_ checkpoint: Checkpoint) {
        self.checkpoint = checkpoint
        frozen = nil
    }

    /// Goes back to what the log still has, after staged events were taken back.
    mutating func rewind(to last: Position) {
        guard max(active.position, frozen?.position ?? .origin) > last else { return }
        if let frozen, frozen.position > last { self.frozen = nil }
        active = emptyLayer(at: base)
        open = nil
        endHistory()
    }
}

/// A fold between two batches; a reference, because a fold cannot be copied.
private final class OpenFold {
    var fold: Fold?

    init(_ fold: consuming Fold) { self.fold = .some(fold) }
}

/// How far views are: in memory and on disk.
package struct BufferStatus: Sendable {
    package let position: Position
    package let checkpoint: Position
    package let rows: Int
    package let bytes: Int
}
