internal import Dispatch
internal import MessageStoreLMDB

extension MessageStore {
    /// Runs `body` with the rows of a lagging projection, also inside a read of views.
    ///
    /// ``LaggingSnapshot/position`` says which events the rows know; views that were read before may know earlier ones, or
    /// lack some. `rows` is nil where there are none yet. A store that is open for reading only sees the rows that the
    /// process writes which has it open for that.
    ///
    /// ```swift
    /// try store.read { views in
    ///     try store.read(WordCounts.self) { rows in … }
    /// }
    /// ```
    ///
    /// - Throws: `StoreError`: `invalidArgument` where the projection is not registered, `viewsDamaged` where rows are
    ///   damaged, which are then made again, `closed`; or what `body` throws.
    public func read<P: LaggingProjection, Result>(
        _ projection: P.Type, _ body: (_ rows: borrowing LaggingSnapshot?) throws -> Result
    ) throws -> Result {
        let follower = try lagging[P.id]
        return try StoreError.translating {
            do {
                try closing.check()
                return try body(try follower.snapshot(isReadOnly: isReadOnly))
            } catch let error as StoreError where follower.isOwnDamage(error) {
                if !isReadOnly {
                    try follower.drop()
                    follower.wake(self)
                }
                throw error
            }
        }
    }

    /// The lagging projection of a type that is registered, if one is.
    package func registered<P: LaggingProjection>(_ projection: P.Type) -> P? {
        (try? lagging[P.id])?.projection as? P
    }

    /// Runs a read on another thread, and ends it early when the task is cancelled.
    ///
    /// - Parameter body: Is given a function that throws `CancellationError` once the task is cancelled.
    package func readCancellably<Result: Sendable>(
        _ body: @escaping @Sendable (_ check: @escaping @Sendable () throws -> Void) throws -> Result
    ) async throws -> Result {
        try await Self.runCancellable(on: readQueue) { check in
            try check()
            return try body(check)
        }
    }

    /// Folds the events that a lagging projection lacks, at once, and does what work is left on its rows.
    ///
    /// - Parameters:
    ///   - projection: The type of the projection.
    ///   - progress: Called periodically with the position reached and the last one; throwing ends the work, which keeps
    ///     what it has done.
    /// - Throws: `StoreError`: `invalidArgument` where it is not registered, `readOnly`; what the projection throws; or
    ///   what `progress` throws.
    public func catchUp(
        _ projection: any LaggingProjection.Type, progress: ReplayProgress = { _, _ in }
    ) throws {
        let follower = try lagging[projection.id]
        while try follower.step(self, atLeast: 1) { try progress(position(of: projection), lastPosition()) }
    }

    /// Folds the events that a lagging projection lacks; the `async` form of the synchronous one, which ends early when
    /// the task is cancelled.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func catchUp(
        _ projection: any LaggingProjection.Type,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws {
        try await Self.runCancellable(on: readQueue, progress: progress) { progress in
            try self.catchUp(projection, progress: progress)
        }
    }

    /// The last event that a lagging projection knows; the origin where it has no rows.
    ///
    /// - Throws: `StoreError`, `invalidArgument` where it is not registered.
    public func position(of projection: any LaggingProjection.Type) throws -> Position {
        let follower = try lagging[projection.id]
        return try StoreError.translating { try follower.position(isReadOnly: isReadOnly) }
    }
}

extension LaggingFollower {
    /// The rows at this moment; nil where there are none that can be read.
    func snapshot(isReadOnly: Bool) throws -> LaggingSnapshot? {
        var found: LaggingFiles?
        do { found = try files(isReadOnly: isReadOnly) } catch let error as StoreError where Self.passes(error) {}
        guard let files = found else { return nil }
        let transaction = try files.environment.beginRead()
        let position = try files.position(in: transaction)?.position ?? .origin
        return LaggingSnapshot(transaction: transaction, table: files.rows, position: position)
    }

    func position(isReadOnly: Bool) throws -> Position {
        guard let files = try files(isReadOnly: isReadOnly) else { return .origin }
        return try files.environment.read { try files.position(in: $0) }?.position ?? .origin
    }
}
