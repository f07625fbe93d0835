internal import Dispatch
internal import Logging

extension MessageStore {
    /// Rebuilds projections, and those that read them, from the log.
    ///
    /// Appends and reads continue meanwhile, and the old rows are served until the new ones are complete. Rebuilding
    /// repairs views that threw `viewsDamaged`, and retries events that a host's projection could not fold. Views are
    /// made from the log alone, so nothing is lost. Without an argument, rows of projections that are no longer
    /// registered are removed.
    ///
    /// - Parameters:
    ///   - projections: The projections to rebuild; nil for all.
    ///   - progress: Called periodically with the position reached and the last position; throwing ends the
    ///     rebuild.
    /// - Throws: `StoreError`, `invalidArgument` where a projection is not registered, or what `progress` throws; then
    ///   the old rows stay.
    public func rebuild(
        _ projections: Set<ProjectionID>? = nil, progress: ReplayProgress = { _, _ in }
    ) throws {
        let views = try openedForWriting().views
        try Self.rebuild(closing, signal, progress) { try views.rebuild(projections, progress: $0) }
    }

    /// Rebuilds projections from the log; the `async` form of ``rebuild(_:progress:)``, which ends early, and leaves
    /// the old rows, when the task is cancelled.
    public func rebuild(
        _ projections: Set<ProjectionID>? = nil,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws {
        try await Self.runCancellable(on: readQueue, progress: progress, onCancel: wakeRebuilds) { _, progress in
            try self.rebuild(projections, progress: progress)
        }
    }

    /// Waits until every registered projection has rows of its version.
    ///
    /// Opening a store rebuilds projections whose version or rules have changed in the background; their queries throw
    /// `rebuilding` until then. If that failed, this call tries again.
    ///
    /// - Parameter progress: Called periodically with the position reached and the last position.
    /// - Throws: `StoreError`, or `CancellationError` where the task is cancelled.
    public func waitUntilRebuilt(
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws {
        try await Self.runCancellable(on: readQueue, progress: progress, onCancel: wakeRebuilds) { _, progress in
            let views = try self.openedForWriting().views
            try Self.rebuild(self.closing, self.signal, progress) { try views.rebuildOutdated(progress: $0) }
        }
    }

    /// Lets rebuilds that wait for another one notice that they are cancelled.
    private func wakeRebuilds() { (try? openedForWriting())?.views.wakeRebuilds() }

    /// Runs a rebuild, ends it early when the store is closed, and lets live queries read again.
    private static func rebuild(
        _ closing: StoreClosing, _ signal: LogSignal, _ progress: ReplayProgress,
        _ body: (FoldProgress) throws -> Void
    ) throws {
        try StoreError.translating { try closing.ending(progress, body) }
        signal.note(.rewritten)
    }

    /// Rebuilds on another thread what has no rows of its version.
    func rebuildOutdatedInBackground(_ views: ServedViews) {
        guard !views.isUpToDate else { return }
        rebuildQueue.async { [weak self, closing, signal, configuration] in
            do {
                try Self.rebuild(closing, signal, { _, _ in }) { try views.rebuildOutdated(progress: $0) }
                self?.beginExpiring()
            } catch let error as StoreError where error.isOfClosedStore {
                // The next opening begins anew.
            } catch {
                configuration.logger.error("rebuilding projections failed", metadata: ["error": "\(error)"])
            }
        }
    }
}
