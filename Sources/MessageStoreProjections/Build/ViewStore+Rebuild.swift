internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

extension ViewStore {
    /// Called now and then with the position reached and the last; what it throws ends the work.
    package typealias Progress = (_ reached: Position, _ last: Position) throws -> Void

    /// Rebuilds projections from the log, and those that read them; the old rows are served meanwhile, if they are of this
    /// version, and appends and reads go on.
    ///
    /// - Parameter projections: Which to rebuild; nil for all.
    package func rebuild(_ projections: Set<ProjectionID>?, progress: Progress) throws {
        let catalog = configuration.catalog
        let chosen = try projections?.reduce(into: ProjectionSet()) { chosen, id in
            guard let index = catalog.index(of: id) else {
                throw StoreError(.invalidArgument, "the projection \(id) is not registered")
            }
            chosen.formUnion(ProjectionSet(index))
        }
        try rebuild(chosen ?? catalog.all, progress)
    }

    /// Rebuilds the projections that have no rows of this version yet.
    package func rebuildOutdated(progress: Progress) throws {
        try rebuild(nil, progress)
    }

    /// Whether every registered projection has rows of its version.
    package var isUpToDate: Bool { outdatedProjections.isEmpty }

    /// - Parameter chosen: Which to rebuild; nil for those that have no rows of this version once it is their turn.
    private func rebuild(_ chosen: ProjectionSet?, _ progress: Progress) throws {
        try rebuildLock.withLock { _ throws in
            let catalog = configuration.catalog
            let outdated = outdatedProjections
            let chosen = chosen ?? outdated
            // What the chosen ones read must have rows, too.
            let projections = catalog.withReaders(chosen.union(outdated.intersection(catalog.withSources(chosen))))
            guard !projections.isEmpty else { return }
            defer { rebuild.end() }
            // Without sound views to put the rebuilt rows into, all are replaced.
            let isSound = (try? read { _ in }) != nil
            let scratch = ViewStore(scratchBeside: self, of: isSound ? projections : catalog.all)
            try catchUp(scratch, progress)
            if isSound, projections != catalog.all {
                try replace(projections, from: scratch)
            } else {
                try publish(scratch)
            }
        }
    }

    /// Folds what is committed, until little is left: what is not committed may still be taken back.
    private func catchUp(_ scratch: ViewStore, _ progress: Progress) throws {
        var reached = Position.origin
        repeat {
            reached = log.committedPosition
            try scratch.catchUp(to: reached) { position, last in
                rebuild.note(position, last)
                try progress(position, last)
            }
        } while log.committedPosition.rawValue > reached.rawValue + Self.chunk
    }

    /// Puts rebuilt rows in the place of those on disk.
    ///
    /// Nothing else is flushed meanwhile, so that what is on disk stays at one position; what is appended is folded into
    /// the buffer, and once more with the rebuilt projections when their rows are there.
    private func replace(_ projections: ProjectionSet, from scratch: ViewStore) throws {
        let (environment, checkpoint) = try holdFlushes(from: scratch.bufferStatus.position)
        var replaced: Checkpoint?
        defer {
            state.signal { state in
                state.isFlushing = false
                guard let replaced else { return }
                state.checkpoint = replaced
                state.plan = FoldPlan(configuration.catalog, folded: state.plan.folded.union(projections))
                state.needsRecovery = true
            }
        }
        try scratch.foldRest(to: checkpoint.position)
        try scratch.read { try environment.replace(projections, from: $0, checkpoint) }
        replaced = try environment.checkpoint(writtenAt: checkpoint.position)
    }

    /// Flushes up to a position or further, and keeps others from flushing.
    private func holdFlushes(from position: Position) throws -> (ViewEnvironment, Checkpoint) {
        while true {
            try flush()
            let held: (ViewEnvironment, Checkpoint)? = state.waitUntil({ !$0.isFlushing }) { state in
                guard state.frozen == nil, state.checkpoint.position >= position, let environment = state.environment
                else { return nil }
                state.isFlushing = true
                return (environment, state.checkpoint)
            }
            if let held { return held }
        }
    }

    /// Puts a finished build in the place of the served views; snapshots of the old ones stay whole.
    private func publish(_ scratch: ViewStore) throws {
        try scratch.flush()
        let built = scratch.state.withLock { ($0.environment, $0.checkpoint) }
        guard let environment = built.0 else { return }
        if configuration.durability != .none { try environment.environment.makeDurable() }
        let old = Self.temporaryPath(beside: path)
        try state.waitUntil({ !$0.isFlushing }) { state throws in
            try FileSystem.rename(path, to: old)
            try FileSystem.rename(scratch.path, to: path)
            environment.environment.moved(to: path)
            scratch.isScratch.withLock { $0 = false }
            state.use(environment, built.1)
        }
        try FileSystem.synchronize(FileSystem.parent(of: path))
        try FileSystem.remove(old)
    }
}
