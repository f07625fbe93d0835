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
        try rebuild(catalog.withReaders(chosen ?? catalog.all), progress: progress)
    }

    /// Rebuilds the projections that have no rows of this version yet.
    package func rebuildOutdated(progress: Progress) throws {
        try rebuild(outdatedProjections, progress: progress)
    }

    func rebuild(_ projections: ProjectionSet, progress: Progress) throws {
        guard !projections.isEmpty else { return }
        try rebuildLock.withLock { _ throws in
            defer { rebuild.end() }
            // Without sound views to put the rebuilt rows into, all are replaced.
            let isSound = (try? read { _ in }) != nil
            let all = configuration.catalog.all
            let scratch = ViewStore(scratchBeside: self, of: isSound ? projections : all)
            // What is not committed may still be taken back.
            try scratch.catchUp(to: log.committedPosition) { reached, last in
                rebuild.note(reached, last)
                try progress(reached, last)
            }
            if isSound, projections != all {
                try replace(projections, from: scratch)
            } else {
                try publish(scratch)
            }
        }
    }

    /// Puts rebuilt rows in the place of those on disk.
    ///
    /// Nothing else is flushed meanwhile, so that what is on disk stays at one position; what is appended is folded into
    /// the buffer, and once more with the rebuilt projections when their rows are there.
    private func replace(_ projections: ProjectionSet, from scratch: ViewStore) throws {
        let (environment, checkpoint) = try holdFlushes()
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

    /// Flushes and keeps others from doing so.
    private func holdFlushes() throws -> (ViewEnvironment, Checkpoint) {
        while true {
            try flush()
            let held: (ViewEnvironment, Checkpoint)? = state.waitUntil({ !$0.isFlushing }) { state in
                guard state.frozen == nil, let environment = state.environment else { return nil }
                state.isFlushing = true
                return (environment, state.checkpoint)
            }
            if let held { return held }
            try makeEnvironment()
        }
    }

    /// Makes views on disk where there are none yet: those of an empty log.
    private func makeEnvironment() throws {
        try state.withLock { state throws in
            guard state.environment == nil else { return }
            state.environment = try Self.newEnvironment(path: path, storeID: storeID, configuration)
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
            scratch.isScratch.withLock { $0 = false }
            state.use(environment, built.1)
        }
        try FileSystem.synchronize(FileSystem.parent(of: path))
        try FileSystem.remove(old)
    }
}
