internal import MessageStoreLMDB

/// A build of some projections next to the views that are used: for a rebuild, to verify, or to look at the past.
///
/// It goes to disk when it takes half of ``ViewConfiguration/replayBytes``; its directory goes with it, unless it took
/// the place of the served views.
package final class ScratchViews: Sendable {
    private let writer: ViewWriter

    /// - Parameters:
    ///   - path: The path of the views next to which it is built.
    ///   - configuration: That of those views.
    ///   - projections: The projections to build; those that they read are folded, too.
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
            log, path: ViewEnvironment.temporaryPath(nextTo: path), storeID: storeID, configuration, buffer)
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

    /// What was written, and the rows that were folded since; nil where nothing was written.
    func written() throws -> (environment: ViewEnvironment, checkpoint: Checkpoint, rows: RowLayer)? {
        let rows = try snapshot().active
        return writer.state.withLock { state in
            state.buffer.environment.map { ($0, state.buffer.checkpoint, rows) }
        }
    }
}
