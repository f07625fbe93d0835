internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

/// The views of a log that another process may be writing: its environment as it is now, with the rest of the log
/// folded in memory.
///
/// The layer folded last time is kept as long as the environment underneath has not moved, and the log still has the
/// events that it was folded from: events of a frame whose flush failed are taken back, and others may get their
/// positions.
package final class WatchedViews: ViewStore {
    package let log: EventLog
    private let path: String
    private let storeID: [UInt8]
    private let configuration: ViewConfiguration
    private let state: Locked<State>
    /// The data file that was of no use when it was looked at.
    private let refused = Locked<FileSystem.Status?>(nil)

    private struct State {
        var buffer: ViewBuffer
        /// The checksum of the last record that was folded; nil if that is not known.
        var lastChecksum: UInt64?
    }

    /// Opens the views at `path`, where they are of use, and folds the part of the log that they do not cover.
    ///
    /// - Parameters:
    ///   - storeID: 16 bytes that name the log.
    ///   - progress: Called now and then with the position reached and the log's last.
    package init(
        log: EventLog, path: String, storeID: [UInt8], configuration: ViewConfiguration,
        progress: FoldProgress = { _, _ in }
    ) throws {
        self.log = log
        self.path = path
        self.storeID = storeID
        self.configuration = configuration
        let catalog = configuration.catalog
        state = Locked(
            State(buffer: ViewBuffer(log, nil, Checkpoint(storeID: log.foldID(storeID: storeID), catalog), catalog)))
        do { _ = try snapshot(progress) } catch let error as StoreError where error.isOfRecord {
            // The events that can be read are worth having without the views, whose use throws this again.
        }
    }

    @available(*, noasync)
    package func snapshot() throws -> ViewSnapshot { try snapshot { _, _ in } }

    @available(*, noasync)
    private func snapshot(_ progress: FoldProgress) throws -> ViewSnapshot {
        try state.withLock { state throws in
            while true {
                try reopen(&state.buffer)
                // Useless views may be in the place of usable ones.
                let areCurrent = areStill(state.buffer)
                let base = try state.buffer.environment?.environment.beginRead()
                if let environment = state.buffer.environment, !state.buffer.isStill(over: base) {
                    guard let stored = try Self.checkpoint(of: environment, base) else {
                        throw StoreError.unusableCheckpoint(path: path)
                    }
                    if stored != state.buffer.checkpoint { state.buffer.use(environment, stored) }
                }
                // Taken after the environment's snapshot, the log's is never the older one.
                let log = try log.snapshot()
                // An erasure that was finished meanwhile has put other views in the place of these.
                guard isFold(state.buffer), !areCurrent || areStill(state.buffer) else { continue }
                let last = try log.lastPosition()
                let (folded, checkpoint) = (state.buffer.active.position, state.buffer.checkpoint)
                guard checkpoint.position <= last else {
                    throw StoreError.rolledBackLog(last, checkpoint.position, path: self.log.environment.path)
                }
                if folded > last
                    || folded > checkpoint.position && Self.checksum(at: folded, log) != state.lastChecksum
                {
                    state.buffer.use(state.buffer.environment, checkpoint)
                }
                state.lastChecksum = Self.checksum(at: last, log)
                return try state.buffer.snapshot(at: last, over: base, log, progress: progress)
            }
        }
    }

    /// Whether the views on disk are the ones that are read; true if none are.
    private func areStill(_ buffer: borrowing ViewBuffer) -> Bool { buffer.environment?.isStill(at: path) ?? true }

    /// Whether rows are of the log as it is, and not of one from before records were cut off.
    private func isFold(_ buffer: borrowing ViewBuffer) -> Bool {
        buffer.checkpoint.storeID == log.foldID(storeID: storeID)
    }

    /// The checksum of a record; nil if there is none, or none that can be read.
    private static func checksum(at position: Position, _ log: borrowing LogSnapshot) -> UInt64? {
        do { return try log.record(at: position)?.checksum } catch { return nil }
    }

    private static func checkpoint(
        of environment: ViewEnvironment, _ base: borrowing ReadTransaction?
    ) throws -> Checkpoint? {
        switch base {
        case .some(let base): try environment.checkpoint(in: base)
        case .none: nil
        }
    }

    /// Looks again for views on disk if there are none, or others than the opened ones.
    ///
    /// When records are cut off, the new views appear before the new log: the old views are used until both are there.
    private func reopen(_ buffer: inout ViewBuffer) throws {
        guard buffer.environment?.isStill(at: path) != true || !isFold(buffer) else { return }
        try log.followCompaction()
        let (catalog, isFold) = (configuration.catalog, isFold(buffer))
        let status = try FileSystem.status(of: path + "/data.mdb")
        // A fold over views that are gone is of no use.
        if !isFold || status == nil && buffer.environment != nil {
            buffer.use(nil, Checkpoint(storeID: log.foldID(storeID: storeID), catalog))
        }
        // Views that were of no use stay so until somebody writes them, or the log is another one: looking takes as long
        // as reading all of them.
        guard status == nil || !isFold || status != refused.withLock({ $0 }) else { return }
        let opened = try ViewEnvironment.existing(at: path, of: log, storeID: storeID, configuration, access: .readOnly)
        // A process that cannot rebuild a part makes all anew in memory.
        let builtIn = catalog.all.subtracting(catalog.hosts)
        guard let opened, opened.checkpoint.current(in: catalog).isSuperset(of: builtIn) else {
            return refused.withLock { $0 = status }
        }
        refused.withLock { $0 = nil }
        buffer.use(opened.views, opened.checkpoint)
    }

    package var bufferStatus: BufferStatus { state.withLock { $0.buffer.status } }

    package var environment: ViewEnvironment? { state.withLock { $0.buffer.environment } }

    package func makeReplayed(_ options: ReplayedViews.Options) throws -> ReplayedViews {
        try ReplayedViews(
            nextTo: FileSystem.temporaryDirectory + "/views", log, storeID: storeID, configuration.catalog, options,
            key: configuration.key())
    }

    package func makeScratch() -> ScratchViews {
        // The store may be where nothing can be written.
        ScratchViews(
            nextTo: FileSystem.temporaryDirectory + "/views", log, storeID: storeID, configuration,
            of: configuration.catalog.all)
    }
}
