internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

/// The write buffer over the views' environment: what every build of views folds into and is read from.
///
/// It has two layers at most: a frozen one, which is being written, and the one that fills.
struct ViewBuffer {
    private let log: EventLog
    private let rebuild: RebuildState
    /// nil where there are no usable views on disk: everything is folded in memory.
    private(set) var environment: ViewEnvironment?
    /// What the environment holds.
    private(set) var checkpoint: Checkpoint
    /// Which projections are folded and read; the others are being rebuilt.
    private(set) var plan: FoldPlan
    private(set) var frozen: RowLayer?
    private(set) var active: RowLayer
    /// While a rebuild replaces rows on disk: the last commit before that one.
    private var replacedAfter: UInt64?

    /// An empty buffer over views on disk, or over none.
    init(
        _ log: EventLog, _ environment: ViewEnvironment?, _ checkpoint: Checkpoint, _ plan: FoldPlan,
        rebuild: RebuildState = RebuildState()
    ) {
        self.log = log
        self.rebuild = rebuild
        self.environment = environment
        self.checkpoint = checkpoint
        self.plan = plan
        active = RowLayer(position: checkpoint.position, tables: plan.catalog.tables.count)
    }

    /// An empty buffer over views on disk, of those of a catalogue's projections that have rows there.
    init(
        _ log: EventLog, _ environment: ViewEnvironment?, _ checkpoint: Checkpoint, _ catalog: ProjectionCatalog,
        rebuild: RebuildState = RebuildState()
    ) {
        let plan = FoldPlan(catalog, folded: checkpoint.current(in: catalog))
        self.init(log, environment, checkpoint, plan, rebuild: rebuild)
    }

    /// A buffer over a checkpoint of views on disk that has begun to fill.
    init(_ log: EventLog, _ environment: ViewEnvironment, _ checkpoint: Checkpoint, _ plan: FoldPlan, active: RowLayer)
    {
        self.init(log, environment, checkpoint, plan)
        self.active = active
    }

    /// Goes on over other views on disk, or over none, with an empty buffer.
    mutating func use(_ environment: ViewEnvironment?, _ checkpoint: Checkpoint) {
        self = ViewBuffer(log, environment, checkpoint, plan.catalog, rebuild: rebuild)
    }

    /// The position of what is below the filling layer.
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

    /// Folds the records after the filling layer's position up to `last`.
    mutating func fold(to last: Position) throws {
        if last > active.position { _ = try snapshot(at: last) }
    }

    /// The views at `last`, to which the log is folded, or at the filling layer's position where that is further.
    mutating func snapshot(at last: Position) throws -> ViewSnapshot {
        // The log's first: it waits while its map grows, and no read of the views may be open meanwhile.
        let log = try log.snapshot()
        return try self.snapshot(at: last, over: try environment?.environment.beginRead(), log)
    }

    /// The views at `last`, to which the log is folded, over a read of the environment.
    ///
    /// Where folding fails, the filling layer is left empty: what it held is folded again by the next call.
    mutating func snapshot(
        at last: Position, over base: consuming ReadTransaction?, _ logSnapshot: consuming LogSnapshot,
        progress: FoldProgress = { _, _ in }
    ) throws -> ViewSnapshot {
        var rows = try beginRows(over: base, logSnapshot)
        while rows.position < last {
            let before = rows.position
            let next = Position(min(last.rawValue, before.rawValue + Self.chunk))
            try fold(to: next, &rows)
            // What was staged may have been taken back since.
            guard rows.position > before else { break }
            try progress(next, last)
        }
        let snapshot = rows.finish()
        active = snapshot.active
        return snapshot
    }

    /// Folds the log up to each of some ascending positions and runs `body` with the views there, until it returns false.
    ///
    /// What it takes to fold and to read is made once for all of them. Where anything throws, the filling layer is left empty.
    ///
    /// - Returns: Whether `body` never returned false.
    mutating func forEach(
        _ positions: some Sequence<Position>, over base: consuming ReadTransaction?,
        _ logSnapshot: consuming LogSnapshot, _ body: (borrowing Views) throws -> Bool
    ) throws -> Bool {
        let scanned = try log.snapshot()
        var rows = try beginRows(over: base, logSnapshot)
        var fold = Fold(plan)
        var goesOn = true
        for position in positions where goesOn {
            if position > rows.position { try self.fold(scanned, to: position, &fold, &rows) }
            goesOn = try body(rows.views)
        }
        active = rows.finish().active
        return goesOn
    }

    /// The rows that a fold changes, with the filling layer; until it is given back an empty one stands in its place.
    private mutating func beginRows(
        over base: consuming ReadTransaction?, _ logSnapshot: consuming LogSnapshot
    ) throws -> FoldRows {
        try useReplacedRows(of: base)
        precondition(active.base == self.base, "the filling layer is not based on what is below it")
        var rows = FoldRows(
            try ViewSnapshot(
                active: emptyLayer(at: active.base), frozen: frozen, base: base, tables: environment?.tables ?? [],
                log: logSnapshot, symbols: log.symbols, plan: plan, rebuild: rebuild))
        // Lent to the rows alone, so that it is changed in place.
        rows.swapLayer(&active)
        return rows
    }

    /// Folds the records after the rows' position up to `last`, as one batch.
    private func fold(to last: Position, _ rows: inout FoldRows) throws {
        let scanned = try log.snapshot()
        var fold = Fold(plan)
        try self.fold(scanned, to: last, &fold, &rows)
    }

    /// The same in a fold that may go on afterwards.
    private func fold(
        _ scanned: borrowing LogSnapshot, to last: Position, _ fold: inout Fold, _ rows: inout FoldRows
    ) throws {
        try scanned.scan(from: Position(rows.position.rawValue + 1), to: last) { record in
            precondition(
                record.position.rawValue == rows.position.rawValue + 1 || log.isRewritten,
                "a record is folded twice or passed over")
            try fold.apply(record, &rows)
            return .proceed
        }
        // The last events of a rewritten log may be gone.
        if log.isRewritten { rows.position = last }
        try fold.finishBatch(&rows)
    }
}

// MARK: Replacing rows on disk

extension ViewBuffer {
    /// Notes that the next commit to the environment replaces rows by those of a rebuild.
    mutating func willReplaceRows() throws {
        replacedAfter = try environment?.environment.read { $0.commitNumber }
    }

    /// Goes on over the rows that were committed; nil where none were.
    mutating func didReplaceRows(_ checkpoint: Checkpoint?) {
        // A read that came first has done so.
        guard replacedAfter != nil else { return }
        replacedAfter = nil
        if let checkpoint { use(environment, checkpoint) }
    }

    /// Goes on over the replaced rows, if a read sees them before the rebuild has come back from its commit: what is
    /// buffered was folded from the old ones.
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
    mutating func freeze() -> Bool {
        if frozen == nil {
            guard active.position > checkpoint.position else { return false }
            frozen = active
            active = emptyLayer(at: active.position)
        }
        return true
    }

    /// Notes where the frozen layer is written; views that were never on disk had no environment.
    mutating func write(to environment: ViewEnvironment) { self.environment = environment }

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
    }
}

/// How far views are: in memory and on disk.
package struct BufferStatus: Sendable {
    package let position: Position
    package let checkpoint: Position
    package let rows: Int
    package let bytes: Int
}
