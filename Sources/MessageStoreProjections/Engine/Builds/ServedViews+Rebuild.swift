internal import MessageStoreLMDB

extension ServedViews {
    /// Rebuilds projections and their readers from the log; the old rows are served meanwhile, if they are of this
    /// version, and appends and reads go on.
    ///
    /// - Parameters:
    ///   - projections: The projections to rebuild; nil for all.
    ///   - waits: Whether a rebuild that is under way is waited for; else the call throws ``StoreError`` with code
    ///     `rebuilding`.
    package func rebuild(
        _ projections: Set<ProjectionID>?, waits: Bool = true, progress: FoldProgress
    ) throws {
        let catalog = writer.configuration.catalog
        let chosen = try projections?.reduce(into: ProjectionSet()) { chosen, id in
            guard let index = catalog.index(of: id) else {
                throw StoreError(.invalidArgument, "the projection \(id) is not registered")
            }
            chosen.formUnion(ProjectionSet(index))
        }
        try rebuild(chosen ?? catalog.all, waits: waits, progress)
    }

    /// Rebuilds the projections that have no rows of this version yet.
    package func rebuildOutdated(progress: FoldProgress) throws {
        try rebuild(nil, progress)
    }

    /// Lets rebuilds that wait for another one ask again whether to go on waiting.
    package func wakeRebuilds() { rebuild.wake() }

    /// Whether every registered projection has rows of its version.
    package var isUpToDate: Bool { outdatedProjections.isEmpty }

    /// The projections that have no rows of this version yet.
    var outdatedProjections: ProjectionSet {
        writer.configuration.catalog.all.subtracting(writer.state.withLock { $0.buffer.plan.folded })
    }

    /// - Parameter chosen: The projections to rebuild; nil for the ones without rows of this version once it is their
    ///   turn.
    private func rebuild(_ chosen: ProjectionSet?, waits: Bool = true, _ progress: FoldProgress) throws {
        if waits { try rebuild.takeTurn(in: log, progress) } else { try rebuild.takeFreeTurn() }
        defer { rebuild.endTurn() }
        let catalog = writer.configuration.catalog
        let outdated = outdatedProjections
        let chosen = chosen ?? outdated
        // Projections that the chosen ones read must have rows, too.
        let projections = catalog.withReaders(chosen.union(outdated.intersection(catalog.withSources(chosen))))
        guard !projections.isEmpty else { return }
        // Without sound views to put the rebuilt rows into, all are replaced.
        let isSound = (try? snapshot().position) != nil
        guard isSound, projections != catalog.all else { return try rebuildAll(progress) }
        let scratch = makeScratch(of: projections)
        try catchUp(scratch, progress)
        do { try replace(projections, from: scratch) } catch let error where StoreError.isViewDamage(error) {
            try rebuildAll(progress)
        }
    }

    /// Folds all views from a copy of the log, while nobody else can rebuild.
    ///
    /// - Parameter body: Copies the log and takes its argument along.
    /// - Throws: ``StoreError`` with code `rebuilding` during another rebuild; then `body` was not called.
    package func rebuildFromCopy(_ body: (any CopyFold) throws -> Void) throws {
        try rebuild.takeFreeTurn()
        defer { rebuild.endTurn() }
        try body(CopiedViews(self))
    }

    private func rebuildAll(_ progress: FoldProgress) throws {
        let scratch = makeScratch()
        try catchUp(scratch, progress)
        try scratch.write(writer.configuration.durability)
        _ = try publish(scratch)
        try FileSystem.synchronize(FileSystem.parent(of: writer.path))
        _ = try removeRetired()
    }

    /// Folds durable events until few are left; others may still be taken back.
    private func catchUp(_ scratch: ScratchViews, _ progress: FoldProgress) throws {
        var reached = Position.origin
        repeat {
            reached = log.durablePosition
            try scratch.catchUp(to: reached) { position, last in
                rebuild.note(position, last)
                try progress(position, last)
            }
        } while log.durablePosition.rawValue > reached.rawValue + ViewBuffer.chunk
    }

    /// Puts rebuilt rows in the place of those on disk.
    ///
    /// Nothing else is flushed meanwhile, so that the views on disk stay at one position; appended events are folded
    /// into the buffer, and once more with the rebuilt projections when their rows are there.
    private func replace(_ projections: ProjectionSet, from scratch: ScratchViews) throws {
        let (environment, checkpoint) = try holdFlushes(from: scratch.position) { try $0.willReplaceRows() }
        var replaced: Checkpoint?
        defer {
            writer.state.signal { state in
                state.isFlushing = false
                state.buffer.didReplaceRows(replaced)
                noteFolded(state)
            }
        }
        try scratch.fold(to: checkpoint.position)
        replaced = try environment.replace(projections, from: scratch.snapshot(), checkpoint)
    }

    /// Flushes up to a position or further, and keeps others from flushing.
    ///
    /// - Parameter prepare: Called with the buffer before others can change it.
    func holdFlushes(
        from position: Position, _ prepare: (inout ViewBuffer) throws -> Void
    ) throws -> (ViewEnvironment, Checkpoint) {
        while true {
            try flush()
            let held: (ViewEnvironment, Checkpoint)? = try writer.state.waitUntil({ !$0.isFlushing }) { state throws in
                let checkpoint = state.buffer.checkpoint
                guard state.buffer.frozen == nil, checkpoint.position >= position,
                    let environment = state.buffer.environment
                else { return nil }
                try prepare(&state.buffer)
                state.isFlushing = true
                return (environment, checkpoint)
            }
            if let held { return held }
        }
    }

    /// Puts a build that was written in the place of the served views; snapshots of the old ones stay whole. A layer that
    /// is being written to those is left to them.
    ///
    /// - Parameter body: Puts the log in its place that was folded; where it throws, the old views stay.
    /// - Returns: The buffer served before, to be let go of when nobody waits.
    fileprivate func publish(_ scratch: ScratchViews, with body: () throws -> Void = {}) throws -> ViewBuffer? {
        guard let (built, checkpoint, rows) = try scratch.written() else {
            try body()
            return nil
        }
        let (path, new) = (writer.path, built.environment.path)
        let retired = try Environment.retiredPath(nextTo: path)
        return try writer.state.signal { state throws in
            try FileSystem.replace(path, by: new, keepingAs: retired, body)
            let old = state.buffer
            old.environment?.environment.moved(to: retired)
            built.environment.moved(to: path)
            state.buffer.use(built, checkpoint, active: rows)
            state.flushFailure = nil
            noteFolded(state)
            return old
        }
    }
}

/// All views, made from a copy of the log.
private final class CopiedViews: CopyFold {
    private let served: ServedViews
    private var scratch: ScratchViews?
    private var isWritten = false
    /// The buffer that was served before.
    private var old: ViewBuffer?

    init(_ served: ServedViews) { self.served = served }

    func fold(_ copy: EventLog) throws {
        let scratch = scratch ?? served.makeScratch(of: served.writer.configuration.catalog.all, from: copy)
        self.scratch = scratch
        let last = copy.lastPosition
        if isWritten { try scratch.fold(to: last) } else { try scratch.catchUp(to: last) }
        served.rebuild.note(last, served.log.lastPosition)
    }

    func write() throws {
        try scratch?.write(served.writer.configuration.durability)
        isWritten = true
    }

    func exchange(with body: () throws -> Void) throws {
        guard let scratch else { return try body() }
        old = try served.publish(scratch, with: body)
    }
}

/// Called now and then with the position reached and the last; its error ends the work.
package typealias FoldProgress = (_ reached: Position, _ last: Position) throws -> Void

/// The turn to rebuild a store's projections, and how far the rebuild has come that has it.
final class RebuildState: Sendable {
    private struct State {
        var progress: (reached: Position, last: Position)?
        var isTaken = false
        /// Counts what those who wait are woken for.
        var news: UInt64 = 0
    }

    private let state = Locked(State())

    /// How far the rebuild that is under way has come; nil while none is.
    var current: (reached: Position, last: Position)? { state.withLock { $0.progress } }

    /// Waits for the end of the rebuild that is under way, and reports how far that has come.
    ///
    /// - Throws: The error of `progress`, which is called once at least and whenever there is news.
    func takeTurn(in log: EventLog, _ progress: FoldProgress) throws {
        var seen: UInt64?
        while true {
            let current = state.waitUntil({ !$0.isTaken || $0.news != seen }) { state in
                defer { state.isTaken = true }
                seen = state.news
                return state.isTaken ? (isMine: false, progress: state.progress) : (isMine: true, progress: nil)
            }
            guard !current.isMine else { return }
            try progress(current.progress?.reached ?? .origin, current.progress?.last ?? log.lastPosition)
        }
    }

    /// Takes the turn unless a rebuild is under way.
    ///
    /// - Throws: ``StoreError`` with code `rebuilding`.
    func takeFreeTurn() throws {
        let isMine = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if !isMine { throw StoreError(.rebuilding, "another rebuild is under way") }
    }

    func note(_ reached: Position, _ last: Position) { tell { $0.progress = (reached, last) } }

    func endTurn() { tell { ($0.progress, $0.isTaken) = (nil, false) } }

    /// Lets those who wait for the turn report progress once more.
    func wake() { tell { _ in } }

    private func tell(_ change: (inout State) -> Void) {
        state.signal { state in
            change(&state)
            state.news &+= 1
        }
    }

    /// The error of a read of a projection that is being rebuilt.
    func error(_ id: ProjectionID?) -> StoreError {
        let name = id.map { "the projection \($0)" } ?? "a projection"
        guard let (reached, last) = current else { return StoreError(.rebuilding, "\(name) waits for its rebuild") }
        return StoreError(.rebuilding, "\(name) is rebuilt: \(reached) of \(last) events", position: reached)
    }
}
