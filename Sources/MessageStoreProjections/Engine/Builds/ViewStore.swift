internal import MessageStoreLMDB

/// The views of a store: served by the process that writes it, or followed by one that only reads.
package protocol ViewStore: AnyObject, Sendable {
    var log: EventLog { get }

    /// The views at the log's last position.
    @available(*, noasync)
    func snapshot() throws -> ViewSnapshot

    /// An empty build of all projections, next to these views.
    func makeScratch() -> ScratchViews

    /// Views next to these that go to any position of the log.
    func makeReplayed(_ options: ReplayedViews.Options) throws -> ReplayedViews

    /// How far the views are: in memory and on disk.
    var bufferStatus: BufferStatus { get }

    /// The views on disk; nil if there are none.
    var environment: ViewEnvironment? { get }
}

extension ViewStore {
    /// Runs `body` with the views at the log's last position. Never waits longer than the fold of new events; holds
    /// back no writer.
    ///
    /// - Parameter moment: The time that limits of time are compared with; nil for the recorded time of the last event.
    package func read<Result>(
        at moment: Timestamp? = nil, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        var views = Views(try snapshot())
        views.snapshot.scope.moment = moment
        return try body(views)
    }

    /// Runs `body` with the views as they were at a position of the past, by replaying the log up to it.
    ///
    /// The replay is a build of its own and leaves these views alone; see ``ScratchViews``.
    package func replay<Result>(
        to position: Position, progress: FoldProgress, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        try log.checkIsWhole(at: position)
        let scratch = makeScratch()
        try scratch.catchUp(to: position, progress: progress)
        // Records may have been cut off meanwhile.
        try log.checkIsWhole(at: position)
        let views = Views(try scratch.snapshot())
        return try body(views)
    }

    /// Builds every view a second time, next to these, and compares both row by row.
    ///
    /// - Parameter limit: The maximum number of differences to report; all are counted.
    package func verify(limit: Int, progress: FoldProgress) throws -> VerificationReport {
        while true {
            let replayStart = log.replayStart
            let report = try verifyOnce(from: replayStart, limit: limit, progress: progress)
            // If records were cut off meanwhile, both are of other logs.
            if log.replayStart == replayStart { return report }
        }
    }

    private func verifyOnce(from replayStart: Position, limit: Int, progress: FoldProgress) throws -> VerificationReport
    {
        let scratch = makeScratch()
        try scratch.catchUp(to: snapshot().position, progress: progress)
        let live = try snapshot()
        // Records that were appended while the replay ran; no flush, which would need the log that this thread holds.
        try scratch.fold(to: live.position)
        let rebuilt = try scratch.snapshot()
        var differences = RowDifferences(limit: limit, live.plan.catalog, log.symbols)
        try live.compare(with: rebuilt) { differences.add($0) }
        let served = try live.digests()
        return VerificationReport(
            position: live.position, replayStart: replayStart, digests: served,
            rebuiltDigests: try rebuilt.digests().filter { served[$0.key] != nil }, differences: differences.rows,
            differenceCount: differences.count)
    }
}

/// The result of verifying the views.
public struct VerificationReport: Sendable, Hashable {
    /// The position at which both builds were compared.
    public let position: Position
    /// The position from which on the log is whole: records before it were cut off, so that the replay began with what
    /// is left of them. 0 if none was.
    public let replayStart: Position
    /// The digest of each projection as it is served. Equal logs give equal digests on every machine.
    public let digests: [ProjectionID: UInt64]
    /// The digest of each projection as a replay of the log gives it.
    public let rebuiltDigests: [ProjectionID: UInt64]
    /// The first rows that differ, up to the requested limit.
    public let differences: [RowDifference]
    /// How many rows differ in all.
    public let differenceCount: Int

    /// Whether the views match the log.
    public var isConsistent: Bool { differenceCount == 0 && digests == rebuiltDigests }
}

/// A build of some projections next to the views that are used: for a rebuild, to verify, or to look at the past.
///
/// It goes to disk when it takes half of ``ViewConfiguration/replayBytes``; its directory goes with it, unless it took
/// the place of the served views.
package final class ScratchViews: Sendable {
    private let writer: ViewWriter

    /// - Parameters:
    ///   - path: The path of the views next to which it is built.
    ///   - configuration: The configuration of those views.
    ///   - projections: The projections to build; projections that they read are folded, too.
    init(
        nextTo path: String, _ log: EventLog, storeID: [UInt8], _ configuration: ViewConfiguration,
        of projections: ProjectionSet
    ) {
        let catalog = configuration.catalog
        let buffer = ViewBuffer(
            log, nil, Checkpoint(storeID: log.foldID(storeID: storeID), catalog),
            FoldPlan(catalog, folded: catalog.withSources(projections)))
        var configuration = configuration
        // One buffer may fill while another is written.
        configuration.bufferBytes = configuration.replayBytes / 2
        configuration.durability = .none
        configuration.commitFault = nil
        writer = ViewWriter(
            log, path: Environment.newPath(nextTo: path, .building), storeID: storeID, configuration, buffer)
    }

    deinit {
        // A layer may be on its way there.
        writer.waitForFlushThread()
        try? FileSystem.remove(writer.path)
    }

    /// Folds the log up to `last`, and writes rows whenever they take more memory than they may.
    package func catchUp(to last: Position, progress: FoldProgress = { _, _ in }) throws {
        try writer.catchUpInShards(to: last, progress: progress)
        try writer.catchUp(to: last, progress: progress)
    }

    /// Folds the log up to `last` without flushing, which needs the log, so that the caller may hold a snapshot of it.
    func fold(to last: Position) throws {
        try writer.state.withLock { state throws in try state.buffer.fold(to: last) }
    }

    /// The views at the position to which the log was folded.
    @available(*, noasync)
    package func snapshot() throws -> ViewSnapshot {
        try writer.state.withLock { state throws in
            try state.buffer.snapshot(at: state.buffer.active.position)
        }
    }

    /// The position to which the log was folded.
    var position: Position { writer.state.withLock { $0.buffer.active.position } }

    /// Writes everything that is buffered, as durable as views are that are served.
    func write(_ durability: Environment.Configuration.Durability) throws {
        try writer.flush()
        guard durability != .none, let written = writer.state.withLock({ $0.buffer.environment }) else { return }
        try written.environment.makeDurable(durability)
        try FileSystem.synchronize(writer.path)
    }

    /// The written views, and the rows folded since; nil if nothing was written.
    func written() throws -> (environment: ViewEnvironment, checkpoint: Checkpoint, rows: RowLayer)? {
        let rows = try snapshot().active
        return writer.state.withLock { state in
            state.buffer.environment.map { ($0, state.buffer.checkpoint, rows) }
        }
    }
}
