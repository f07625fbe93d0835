internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

extension MessageStore {
    /// Returns when everything recorded up to a position is durable, as configured.
    ///
    /// Costs nothing if it is already durable, otherwise one flush for all pending events.
    ///
    /// - Parameter position: The last position that matters, such as `RecordResult.lastPosition`; nil for all.
    /// - Throws: `StoreError`: `invalidArgument` beyond the log's end; `diskFull` and others where the commit cannot be
    ///   written. The events stay visible, and the commit is tried again.
    public func waitUntilDurable(through position: Position? = nil) throws {
        let log = try openedForWriting().log
        if let position {
            guard position <= log.lastPosition else {
                throw StoreError(.invalidArgument, "the log ends at \(log.lastPosition)", position: position)
            }
            guard position > log.durablePosition else { return }
        }
        try commitGroup(log)
    }

    /// Returns when everything recorded up to a position is durable; the `async` form of `waitUntilDurable(through:)`.
    public func waitUntilDurable(through position: Position? = nil) async throws {
        try await run(on: commitQueue) { try self.waitUntilDurable(through: position) }
    }

    private func commitGroup(_ log: EventLog) throws {
        // Also where a commit of the log has made them durable: nobody else wakes the tails.
        if log.waiting.batches > 0 {
            let watch = configuration.stopwatch()
            try StoreError.translating { try log.makeDurable() }
            watch?(StoreMeasurement.commit)
        }
        tailWaiters.wake()
    }

    /// Waits for a commit where as much is staged as may be (back-pressure); the writer's lock is held.
    func waitForStagingRoom(_ log: EventLog) throws {
        let (waiting, limit) = (log.waiting, configuration.groupCommit)
        guard waiting.batches >= 2 * max(limit.batches, 1) || waiting.bytes >= 2 * limit.bytes else { return }
        try commitGroup(log)
    }

    /// Sees to it that what is staged is committed in time; the writer's lock is held.
    func scheduleGroupCommit(_ log: EventLog, _ state: inout WriterState) {
        let (waiting, limit) = (log.waiting, configuration.groupCommit)
        if waiting.batches >= limit.batches || waiting.bytes >= limit.bytes {
            guard !state.isGroupCommitDue else { return }
            state.isGroupCommitDue = true
            commitQueue.async { [weak self] in self?.commitGroupInBackground() }
        } else {
            scheduleGroupCommit(after: limit.delay, &state)
        }
    }

    private func scheduleGroupCommit(after delay: Duration, _ state: inout WriterState) {
        guard !state.isGroupCommitScheduled else { return }
        state.isGroupCommitScheduled = true
        scheduler.run(after: delay, on: commitQueue) { [weak self] in self?.commitGroupInBackground() }
    }

    /// After how long a commit that failed is tried again, unless a call does so before.
    private static let commitRetryDelay = Duration.seconds(1)

    private func commitGroupInBackground() {
        writer.withLock { state in (state.isGroupCommitDue, state.isGroupCommitScheduled) = (false, false) }
        guard let log = try? opened().log else { return }
        do {
            try commitGroup(log)
        } catch {
            configuration.logger.warning("a group's commit failed", metadata: ["error": "\(error)"])
            writer.withLock { state in scheduleGroupCommit(after: Self.commitRetryDelay, &state) }
        }
    }
}
