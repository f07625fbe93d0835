internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

extension MessageStore {
    /// Rebuilds projections from the log, and those that read them.
    ///
    /// Appends and reads go on meanwhile, and the old rows are served until the new ones are complete. This is the remedy
    /// for the error `viewsDamaged`, and the way to try events again that a host's projection could not fold: views are
    /// made from the log alone, so nothing is lost. Without an argument, rows of projections that nobody registers any
    /// longer are dropped.
    ///
    /// - Parameters:
    ///   - projections: Which to rebuild; nil for all.
    ///   - progress: Called now and then with the position reached and the last; what it throws ends the rebuild.
    /// - Throws: `StoreError`, `invalidArgument` where a projection is not registered, or what `progress` throws; then the
    ///   old rows stay.
    public func rebuild(
        _ projections: Set<ProjectionID>? = nil, progress: ReplayProgress = { _, _ in }
    ) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try resources.views.rebuild(projections) { reached, last in
                try checkNotClosing()
                try progress(reached, last)
            }
        }
        tailWaiters.wake(isRewrite: true)
    }

    /// Rebuilds projections from the log; the `async` form of ``rebuild(_:progress:)``, which ends early, and leaves the
    /// old rows, when the task is cancelled.
    public func rebuild(
        _ projections: Set<ProjectionID>? = nil,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws {
        try await Self.runCancellable(on: readQueue, progress: progress) { progress in
            try self.rebuild(projections, progress: progress)
        }
    }

    /// Waits until every registered projection has rows of its version.
    ///
    /// Opening a store whose projections were given another version or other rules rebuilds these in the background; their
    /// queries throw `rebuilding` until then. Should that have failed, this call tries again.
    ///
    /// - Parameter progress: Called now and then with the position reached and the last.
    /// - Throws: `StoreError`, or `CancellationError` where the task is cancelled.
    public func waitUntilRebuilt(
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws {
        try await Self.runCancellable(on: readQueue, progress: progress) { progress in
            let resources = try self.openedForWriting()
            try StoreError.translating {
                try resources.views.rebuildOutdated { reached, last in
                    try self.checkNotClosing()
                    try progress(reached, last)
                }
            }
            self.tailWaiters.wake(isRewrite: true)
        }
    }

    /// Ends work that takes long when the store is closed.
    private func checkNotClosing() throws {
        if isClosing.withLock({ $0 }) { throw StoreError(.closed, "the store is closed", path: path) }
    }

    /// Rebuilds on another thread what has no rows of its version.
    func rebuildOutdatedInBackground(_ resources: Resources) {
        guard !resources.views.isUpToDate else { return }
        rebuildQueue.async { [isClosing, tailWaiters, configuration] in
            do {
                try resources.views.rebuildOutdated { _, _ in
                    if isClosing.withLock({ $0 }) { throw CancellationError() }
                }
                tailWaiters.wake(isRewrite: true)
            } catch is CancellationError {
                // The next opening begins anew.
            } catch {
                configuration.logger.error("rebuilding projections failed", metadata: ["error": "\(error)"])
            }
        }
    }
}
