internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

extension ViewStore {
    /// Records folded between two looks at the buffer's size and two reports of progress.
    static let chunk: UInt64 = 16_384

    /// Folds the log up to `last`, flushing whenever the buffer is full.
    package func catchUp(to last: Position, progress: Progress = { _, _ in }) throws {
        while true {
            let reached = try state.withLock { state throws in
                let next = Position(min(last.rawValue, state.active.position.rawValue + Self.chunk))
                if next > state.active.position { try foldLog(&state, to: next) }
                return state.active.position
            }
            try progress(reached, last)
            guard reached < last else { return }
            startFlushIfFull()
            try waitForRoom()
        }
    }

    /// Folds the log up to `last` without flushing.
    func foldRest(to last: Position) throws {
        try state.withLock { state throws in
            if last > state.active.position { try foldLog(&state, to: last) }
        }
    }

    /// Folds the records after the filling layer's position up to `last`, as one batch.
    func foldLog(_ state: inout State, to last: Position) throws {
        do {
            try withFillingLayer(&state) { views throws in
                try Self.fold(log, to: last, &views)
            }
        } catch {
            state.needsRecovery = true
            throw error
        }
    }

    static func fold(_ log: EventLog, to last: Position, _ views: inout Views) throws {
        let scanned = try log.snapshot()
        var fold = Fold(views.plan)
        try scanned.scan(from: Position(views.position.rawValue + 1), to: last) { record in
            precondition(
                record.position.rawValue == views.position.rawValue + 1, "a record is folded twice or passed over")
            try fold.apply(record, &views)
            return .proceed
        }
        try fold.finishBatch(&views)
    }

    /// The views of a store that another process may be writing: its environment as it is now, with the
    /// rest of the log folded in memory.
    ///
    /// The layer folded last time is kept as long as the environment underneath has not moved.
    func followedSnapshot() throws -> Views {
        try state.withLock { state throws in
            // Another process may have made views, or put rebuilt ones in their place, since.
            if state.environment?.isStill(at: path) != true {
                // What is folded over views that are gone is of no use.
                if state.environment != nil { state.use(nil, Checkpoint(storeID: storeID, configuration.catalog)) }
                let opened = try Self.openEnvironment(log: log, path: path, storeID: storeID, configuration)
                if let opened { state.use(opened.views, opened.checkpoint) }
            }
            var views = try Views(
                active: state.emptyLayer(at: state.active.position), frozen: nil,
                base: try state.environment?.environment.beginRead(), tables: state.environment?.tables ?? [],
                log: try log.snapshot(), symbols: log.symbols, plan: state.plan, rebuild: rebuild)
            if let checkpoint = try views.storedCheckpoint(), checkpoint != state.checkpoint || state.needsRecovery {
                state.checkpoint = checkpoint
                state.plan = FoldPlan(
                    configuration.catalog, folded: checkpoint.current(in: configuration.catalog))
                views.active = state.emptyLayer(at: checkpoint.position)
            } else if state.needsRecovery {
                views.active = state.emptyLayer(at: state.checkpoint.position)
            } else {
                swap(&views.active, &state.active)
            }
            precondition(views.active.base == state.base, "the filling layer is not based on what is below it")
            // Until the layer is put back whole.
            state.needsRecovery = true
            // Taken after the environment's snapshot, the log's is never the older one.
            let last = try views.log.lastPosition()
            guard views.position <= last else {
                throw StoreError.rolledBackLog(last, views.position, path: log.environment.path)
            }
            if last > views.position { try Self.fold(log, to: last, &views) }
            state.needsRecovery = false
            state.active = views.active
            return views
        }
    }
}
