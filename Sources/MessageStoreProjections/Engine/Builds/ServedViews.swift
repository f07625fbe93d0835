internal import Dispatch
package import MessageStoreLMDB

/// The views of the log that this process writes.
///
/// Events that the log has and the views do not are folded before any read, into the filling layer: by the reading
/// thread, or on a queue before that. A full layer is written on another queue, see ``ViewWriter``.
package final class ServedViews: ViewStore {
    let writer: ViewWriter
    let rebuild = RebuildState()
    /// The state that the last fold left, to be asked while the next one is under way.
    let folded = Locked((position: Position.origin, isFull: false))
    let foldQueue = DispatchQueue(label: "MessageStore.fold", qos: .userInitiated)
    /// Kept, so that the store cannot be opened elsewhere while a last flush is under way.
    private let lock: FileLock?

    package var log: EventLog { writer.log }
    package var path: String { writer.path }

    /// Opens the views at `path`, or makes them where they are missing, damaged, outdated or of another log, and
    /// folds the tail of the log (recovery is a replay).
    ///
    /// - Parameters:
    ///   - storeID: 16 bytes that name the log.
    ///   - lock: The writer's lock, held for as long as this may write.
    ///   - progress: Called now and then with the position reached and the log's last.
    package init(
        log: EventLog, path: String, storeID: [UInt8], configuration: ViewConfiguration, lock: FileLock? = nil,
        progress: FoldProgress = { _, _ in }
    ) throws {
        self.lock = lock
        try Environment.removeUnused(nextTo: path, made: .building)
        let catalog = configuration.catalog
        let (environment, checkpoint) =
            try Self.stored(at: path, log, storeID: storeID, configuration)
            ?? (
                Self.makeAnew(at: path, storeID: storeID, configuration),
                Checkpoint(storeID: log.foldID(storeID: storeID), catalog)
            )
        writer = ViewWriter(
            log, path: path, storeID: storeID, configuration,
            ViewBuffer(log, environment, checkpoint, catalog, rebuild: rebuild, isServed: true))
        try foldTail(progress)
        if !outdatedProjections.isDisjoint(with: catalog.admission) { try rebuildOutdated(progress: progress) }
    }

    /// The views on disk; nil if nothing of them is of use.
    private static func stored(
        at path: String, _ log: EventLog, storeID: [UInt8], _ configuration: ViewConfiguration
    ) throws -> (views: ViewEnvironment, checkpoint: Checkpoint)? {
        let stored = try ViewEnvironment.existing(
            at: path, of: log, storeID: storeID, configuration, access: .readWrite)
        guard let stored else { return nil }
        guard !stored.checkpoint.current(in: configuration.catalog).isEmpty else {
            configuration.noteUnusable("all of them are of other versions")
            return nil
        }
        return stored
    }

    private static func makeAnew(
        at path: String, storeID: [UInt8], _ configuration: ViewConfiguration
    ) throws -> ViewEnvironment {
        try FileSystem.remove(path)
        return try ViewEnvironment.make(at: path, storeID: storeID, configuration)
    }

    /// Folds the part of the log that the checkpoint does not cover.
    ///
    /// If that shows that the views are damaged, they are dropped and made anew from the whole log.
    private func foldTail(_ progress: FoldProgress) throws {
        do {
            try writer.catchUp(to: log.lastPosition, progress: progress)
        } catch let error where StoreError.isViewDamage(error) {
            writer.configuration.noteUnusable("\(error)")
            try writer.state.waitUntil({ !$0.isFlushing }) { state throws in
                let empty = Checkpoint(storeID: log.foldID(storeID: writer.storeID), writer.configuration.catalog)
                state.buffer.use(nil, empty)
                state.buffer.use(
                    try Self.makeAnew(at: writer.path, storeID: writer.storeID, writer.configuration), empty)
                state.flushFailure = nil
            }
            try writer.catchUp(to: log.lastPosition, progress: progress)
        }
    }

    @available(*, noasync)
    package func snapshot() throws -> ViewSnapshot {
        var snapshot = try writer.state.withLock { state throws in try state.buffer.snapshot(at: log.lastPosition) }
        snapshot.scope.keepValues()
        return snapshot
    }

    /// The views at the log's last position; where not the whole of them is needed, as far as admission asks them
    /// mostly, which costs less.
    @available(*, noasync)
    package func admissionSnapshot(isWhole: Bool = false) throws -> ViewSnapshot {
        if isWhole { return try snapshot() }
        return try writer.state.withLock { state throws in try state.buffer.admissionSnapshot(at: log.lastPosition) }
    }

    /// Folds what the log has and the views have not, unless a fold is under way: that takes it along, or the next read
    /// does. Readers see all of it or nothing (I6, I7).
    ///
    /// Should folding fail, the events stay in the log and the views are folded anew from the checkpoint.
    package func foldNew() throws {
        try writer.state.withLock { state throws in
            try state.buffer.fold(to: log.lastPosition)
            noteFolded(state)
        }
        try writer.startFlushIfFull()
    }

    /// Notes how far the log is folded; whoever changed that calls it before others can.
    func noteFolded(_ state: borrowing ViewWriter.State) {
        let (position, byteCount) = (state.buffer.active.position, state.buffer.active.byteCount)
        folded.withLock { $0 = (position, byteCount >= writer.configuration.bufferBytes) }
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
        writer.state.signal { state in
            state.buffer.rewind(to: last)
            // Numbers of names that were taken back are given to others.
            state.buffer.endHistory()
            noteFolded(state)
        }
    }

    /// Lets reads see what a redaction left. Called after it, whether it succeeded or not; a read before that may still
    /// show what it removes.
    package func noteRedaction() { writer.state.withLock { $0.buffer.endHistory() } }

    package var bufferStatus: BufferStatus { writer.state.withLock { $0.buffer.status } }

    package var environment: ViewEnvironment? { writer.state.withLock { $0.buffer.environment } }

    package func makeScratch() -> ScratchViews { makeScratch(of: writer.configuration.catalog.all) }

    package func makeReplayed(_ options: ReplayedViews.Options) throws -> ReplayedViews {
        try ReplayedViews(
            nextTo: writer.path, log, storeID: writer.storeID, writer.configuration.catalog, options,
            key: writer.configuration.key())
    }

    /// An empty build of some projections, and of what these read, next to the served views.
    ///
    /// - Parameter copy: A copy of the log to fold; nil for the log.
    func makeScratch(of projections: ProjectionSet, from copy: EventLog? = nil) -> ScratchViews {
        var configuration = writer.configuration
        // A copy is folded while others append.
        if copy != nil { configuration.replayBytes = 2 * configuration.bufferBytes }
        return ScratchViews(nextTo: writer.path, copy ?? log, storeID: writer.storeID, configuration, of: projections)
    }
}

extension ServedViews {
    /// Writes the views anew, without what their file holds of rows that are gone, and puts that in their place.
    ///
    /// Events appended meanwhile are folded into the buffer; reads go on.
    ///
    /// - Parameter check: Called after each step; its error ends the work and leaves everything as it was.
    /// - Throws: ``StoreError`` with code `rebuilding` during a rebuild, `LMDBError` or `FileError`.
    package func compact(_ check: () throws -> Void) throws {
        try rebuild.takeFreeTurn()
        defer { rebuild.endTurn() }
        let old = try holdFlushes(from: log.durablePosition, { _ in }).0
        defer { writer.state.signal { $0.isFlushing = false } }
        let path = Environment.newPath(nextTo: writer.path, .building)
        do {
            let new = try old.copied(to: path, writer.configuration, check)
            try writer.state.withLock { state throws in
                try new.environment.replace(old.environment)
                state.buffer.write(to: new)
            }
        } catch {
            try? FileSystem.remove(path)
            throw error
        }
    }

    /// Removes the views that were replaced, as far as nobody reads them; answers whether all are gone.
    package func removeRetired() throws -> Bool { try Environment.removeUnused(nextTo: writer.path) }
}

extension ViewEnvironment {
    /// A copy of all tables in a new directory.
    fileprivate func copied(
        to path: String, _ configuration: ViewConfiguration, _ check: () throws -> Void
    ) throws -> ViewEnvironment {
        let mapSize = try environment.statistics().mapSize
        try FileSystem.createDirectory(path)
        var opening = Environment.Configuration(access: .create, durability: .none, mapSize: mapSize)
        opening.commitFault = configuration.commitFault
        opening.key = configuration.key()
        let copy = try ViewEnvironment(path: path, catalog, configuration: opening, tables: tables.map(\.name))
        for (table, target) in zip(tables, copy.tables) {
            var entries = TableCopy()
            while try entries.step(of: table, in: environment, to: target, in: copy.environment) { try check() }
            try check()
        }
        if configuration.durability != .none { try copy.environment.makeDurable(configuration.durability) }
        // Its files' names, before its own.
        try FileSystem.synchronize(path)
        return copy
    }
}

extension ServedViews {
    /// How many events may be recorded and not yet folded: who asks the views waits for as many.
    private static let unfoldedEvents: UInt64 = 1024

    /// Waits while two full layers are in memory or too many events are not folded (back-pressure to the appender), but
    /// not for a fold that is merely under way.
    ///
    /// - Throws: Why events cannot be folded, or the views not be written; nothing more is accepted until they can.
    package func waitForRoom() throws {
        let last = log.lastPosition.rawValue
        let hasRoom = folded.withLock { !$0.isFull && last < $0.position.rawValue + Self.unfoldedEvents }
        guard !hasRoom else { return }
        try foldNew()
        try writer.waitForRoom()
    }

    /// Writes everything that the log has, and returns when it is done.
    ///
    /// - Returns: The position of the checkpoint.
    @discardableResult
    package func flush() throws -> Position {
        try foldNew()
        return try writer.flush()
    }

    /// Writes everything and waits until no work on other threads holds on to the environment, so that it can be opened
    /// again as soon as the caller releases it.
    package func finish() throws {
        defer {
            foldQueue.sync {}
            writer.waitForFlushThread()
        }
        try flush()
    }
}
