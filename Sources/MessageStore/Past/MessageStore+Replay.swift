extension MessageStore {
    /// Called periodically with the position that a replay has reached and the last position; throwing ends the replay.
    public typealias ReplayProgress = (_ reached: Position, _ last: Position) throws -> Void

    /// The digest of each projection now. Equal logs give equal digests on every machine.
    ///
    /// Costs a pass over the buffered rows; the digest of rows on disk is stored.
    ///
    /// - Throws: `StoreError`.
    public func digests() throws -> [ProjectionID: UInt64] {
        try read { try $0.snapshot.digests() }
    }

    /// Runs `body` with the views as they were at a position of the past.
    ///
    /// The log up to that position is folded into temporary views; the served views are not changed. Costs a fold of
    /// that part of the log.
    ///
    /// - Parameters:
    ///   - position: From 0 to the log's last position; of a log of which records were cut off, from
    ///     ``StoreStatistics/replayStart``.
    ///   - progress: Called periodically with the position reached and the last position; throwing ends the
    ///     replay.
    ///   - body: Receives the views of that position, which are valid only during the call.
    /// - Throws: `StoreError`: `invalidArgument` beyond the log's end, `positionCut` before the base, `recordDamaged` at
    ///   a damaged record; or what `body` throws.
    public func replay<Result>(
        to position: Position, progress: ReplayProgress = { _, _ in }, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        let resources = try opened()
        return try StoreError.translating {
            let last = try lastPosition()
            guard position <= last else {
                throw StoreError(.invalidArgument, "the log ends at \(last)", position: position)
            }
            removeLeftReplays()
            return try closing.ending(progress) {
                try resources.views.replay(to: position, progress: $0, body)
            }
        }
    }

    /// Runs `body` with the views as they were at a time: at the last position recorded at or before it.
    ///
    /// Times are those of this device's clock; see ``lastPosition(recordedBy:)``.
    ///
    /// - Throws: As the form that takes a position.
    public func replay<Result>(
        to time: Timestamp, progress: ReplayProgress = { _, _ in }, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        try replay(to: lastPosition(recordedBy: time), progress: progress, body)
    }

    /// Runs `body` with the views as they were at a position of the past; the `async` form of
    /// ``replay(to:progress:_:)``, which ends early when the task is cancelled.
    public func replay<Result: Sendable>(
        to position: Position,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in },
        _ body: @escaping @Sendable (borrowing Views) throws -> Result
    ) async throws -> Result {
        try await Self.runCancellable(on: readQueue, progress: progress) { _, progress in
            try self.replay(to: position, progress: progress, body)
        }
    }

    /// The digest of each projection at a position of the past; see `replay(to:progress:_:)`.
    public func digests(
        at position: Position, progress: ReplayProgress = { _, _ in }
    ) throws -> [ProjectionID: UInt64] {
        try replay(to: position, progress: progress) { try $0.snapshot.digests() }
    }

    /// Looks through the whole log, replays it into a second set of views and compares both row by row.
    ///
    /// Every record is read in order and found by its position, and the log's two tables of symbols are compared.
    /// Appends and reads continue meanwhile. If the store's memory map must grow while rows are compared, appends wait
    /// for the end of the comparison.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of differences to report; all are counted.
    ///   - progress: Called periodically with the position reached and the last position; throwing ends the
    ///     replay.
    /// - Throws: `StoreError`: `recordDamaged` with the position of the first damaged record, `logDamaged`,
    ///   `erasureUnfinished`.
    public func verify(limit: Int = 100, progress: ReplayProgress = { _, _ in }) throws -> VerificationReport {
        let resources = try opened()
        return try StoreError.translating {
            try closing.ending(progress) { progress in
                // The replay reports the positions; a cancelled task or a host may end this part as well.
                _ = try resources.log.examine(
                    decodes: false, progress: { try progress(.origin, $1) }, report: { throw $0 })
                // The views may have what is to be erased, and a replay has it no more.
                if let event = try resources.log.unfinishedErasure() {
                    throw StoreError.unfinishedErasure(event, path: path)
                }
                return try verifyViews(limit: limit, progress)
            }
        }
    }

    /// Compares the views with a replay of a log that was looked through.
    func verifyViews(limit: Int, _ progress: ReplayProgress) throws -> VerificationReport {
        let resources = try opened()
        removeLeftReplays()
        return try resources.views.verify(limit: limit, progress: progress)
    }

    /// Removes the replays that killed readers left in the directory of this reader's replays; a writer's replays are
    /// next to its views.
    func removeLeftReplays() {
        if isReadOnly { Leftovers.removeReplays() }
    }

    /// Replays the whole log into a second set of views and compares it with the served views row by row; the `async`
    /// form of ``verify(limit:progress:)``, which ends early when the task is cancelled.
    public func verify(
        limit: Int = 100,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> VerificationReport {
        try await Self.runCancellable(on: readQueue, progress: progress) { _, progress in
            try self.verify(limit: limit, progress: progress)
        }
    }
}
