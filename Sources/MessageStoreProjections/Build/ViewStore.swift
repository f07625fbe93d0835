internal import Dispatch
package import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

/// The views of one log: the write buffer over the environment.
///
/// What the log has and the views have not is folded before any read, into the filling layer: by whoever reads, or on
/// another thread before that. When that reaches ``Configuration/bufferBytes`` it is frozen
/// and written on another thread, while a new layer fills: two layers at most, then the appender waits.
package final class ViewStore: Sendable {
    package struct Configuration: Sendable {
        /// Bytes at which the write buffer is frozen and flushed.
        package var bufferBytes: Int
        package var durability: Environment.Configuration.Durability
        /// When all pages of views that exist are looked at.
        package var pageCheck = Environment.Configuration.PageCheck.afterUncleanClose
        package var isReadOnly: Bool
        package var catalog: ProjectionCatalog
        /// Whether views that were folded from more than the log has are dropped, rather than refused.
        package var acceptsOlderLog: Bool

        package init(
            bufferBytes: Int = 40 << 20, durability: Environment.Configuration.Durability = .full,
            isReadOnly: Bool = false, catalog: ProjectionCatalog = .builtIn, acceptsOlderLog: Bool = false
        ) {
            self.acceptsOlderLog = acceptsOlderLog
            self.catalog = catalog
            self.bufferBytes = bufferBytes
            self.durability = durability
            self.isReadOnly = isReadOnly
        }
    }

    struct State {
        /// nil where there are no usable views on disk: everything is folded in memory.
        var environment: ViewEnvironment?
        /// What the environment holds.
        var checkpoint: Checkpoint
        var frozen: RowLayer?
        var active: RowLayer
        /// Why the last flush failed; the frozen layer is kept and tried again.
        var flushFailure: (any Error)?
        /// Whether the filling layer was left half folded and must be folded anew from the checkpoint.
        var needsRecovery = false
        var isFlushing = false
        /// Which projections are folded and read; the others are being rebuilt.
        var plan: FoldPlan

        init(_ environment: ViewEnvironment?, _ checkpoint: Checkpoint, _ plan: FoldPlan) {
            self.environment = environment
            self.checkpoint = checkpoint
            self.plan = plan
            active = RowLayer(position: checkpoint.position, tables: plan.catalog.tables.count)
        }

        /// The position of what is below the filling layer.
        var base: Position { frozen?.position ?? checkpoint.position }

        /// Goes on over other views on disk, or over none, with an empty buffer.
        mutating func use(_ environment: ViewEnvironment?, _ checkpoint: Checkpoint) {
            let catalog = plan.catalog
            self = State(environment, checkpoint, FoldPlan(catalog, folded: checkpoint.current(in: catalog)))
        }

        /// An empty layer over what is at a position.
        func emptyLayer(at position: Position) -> RowLayer {
            RowLayer(position: position, tables: plan.catalog.tables.count)
        }
    }

    package let log: EventLog
    package let path: String
    let storeID: [UInt8]
    let configuration: Configuration
    let state: Locked<State>
    let rebuild = RebuildState()
    /// Held by the one rebuild that is under way.
    let rebuildLock = Locked(())
    let flushQueue = DispatchQueue(label: "MessageStore.flush", qos: .utility)
    let foldQueue = DispatchQueue(label: "MessageStore.fold", qos: .userInitiated)
    /// Whether the directory goes when this is released: true of scratch builds until they are published.
    let isScratch: Locked<Bool>
    /// Kept, so that the store cannot be opened elsewhere while a last flush is under way.
    private let lock: FileLock?

    /// Opens the views at `path`, or makes them where they are missing, damaged, outdated or of another log, and
    /// folds the tail of the log (recovery is a replay).
    ///
    /// - Parameters:
    ///   - storeID: 16 bytes that name the log.
    ///   - lock: The writer's lock, held for as long as this may write.
    ///   - progress: Called now and then with the position reached and the log's last.
    package init(
        log: EventLog, path: String, storeID: [UInt8], configuration: Configuration, lock: FileLock? = nil,
        progress: Progress = { _, _ in }
    ) throws {
        self.log = log
        self.path = path
        self.storeID = storeID
        self.configuration = configuration
        self.lock = lock
        isScratch = Locked(false)
        let opened = try Self.openEnvironment(log: log, path: path, storeID: storeID, configuration)
        let catalog = configuration.catalog
        let checkpoint = opened?.checkpoint ?? Checkpoint(storeID: storeID, catalog)
        state = Locked(
            State(opened?.views, checkpoint, FoldPlan(catalog, folded: checkpoint.current(in: catalog))))
        do {
            try foldTail(progress)
        } catch let error as StoreError where configuration.isReadOnly && error.code == .recordDamaged {
            // The events that can be read are worth having without the views, whose use throws this again.
            return
        }
        let outdated = outdatedProjections
        if !outdated.isDisjoint(with: catalog.admission) { try rebuildOutdated(progress: progress) }
    }

    /// The projections that have no rows of this version yet.
    var outdatedProjections: ProjectionSet {
        configuration.catalog.all.subtracting(state.withLock { $0.plan.folded })
    }

    /// An empty build of some projections beside `store`'s views, on disk only when it outgrows the buffer.
    init(scratchBeside store: ViewStore, of projections: ProjectionSet) {
        log = store.log
        // A store that is open for reading only may stand where nothing can be written.
        path = Self.temporaryPath(
            beside: store.configuration.isReadOnly ? FileSystem.temporaryDirectory + "/views" : store.path)
        storeID = store.storeID
        // Nobody waits for a part of it: few large writes cost less than many small ones.
        let catalog = store.configuration.catalog
        configuration = Configuration(
            bufferBytes: 2 * store.configuration.bufferBytes, durability: .none, catalog: catalog)
        isScratch = Locked(true)
        lock = nil
        state = Locked(
            State(
                nil, Checkpoint(storeID: storeID, catalog), FoldPlan(catalog, folded: catalog.withSources(projections)))
        )
    }

    deinit {
        if isScratch.withLock({ $0 }) { try? FileSystem.remove(path) }
    }

    /// Runs `body` with the views at the log's last position. Never waits longer than the fold of what is new; holds back
    /// no writer.
    package func read<Result>(_ body: (borrowing Views) throws -> Result) throws -> Result {
        let views = try snapshot()
        return try body(views)
    }

    /// The views at the log's last position; a scratch build's at that which it was folded to.
    @available(*, noasync)
    package func snapshot() throws -> Views {
        if configuration.isReadOnly { return try followedSnapshot() }
        return try state.withLock { state throws in
            if !isScratch.withLock({ $0 }) { try foldNew(&state) }
            return try makeViews(state.active, state)
        }
    }

    /// Folds what the log has and the views have not, unless a fold is under way: that takes it along, or the next read
    /// does. Readers see all of it or nothing (I6, I7).
    ///
    /// Should folding fail, the events stay in the log and the views are folded anew from the checkpoint.
    package func foldNew() throws {
        try state.withLock { state throws in try foldNew(&state) }
        startFlushIfFull()
    }

    /// Folds on another thread what the log has and the views have not; a read that comes first folds it itself.
    package func foldNewInBackground(onFailure: @escaping @Sendable (any Error) -> Void) {
        foldQueue.async {
            do { try self.foldNew() } catch { onFailure(error) }
        }
    }

    /// Goes back to what the log still has, after staged events were taken back.
    package func rewind() {
        let last = log.lastPosition
        state.signal { state in
            guard max(state.active.position, state.frozen?.position ?? .origin) > last else { return }
            state.needsRecovery = true
            if let frozen = state.frozen, frozen.position > last { state.frozen = nil }
        }
    }

    private func foldNew(_ state: inout State) throws {
        if state.needsRecovery { return try recover(&state) }
        let last = log.lastPosition
        if last > state.active.position { try foldLog(&state, to: last) }
    }

    private func recover(_ state: inout State) throws {
        state.active = state.emptyLayer(at: state.base)
        try foldLog(&state, to: log.lastPosition)
        state.needsRecovery = false
    }
}
