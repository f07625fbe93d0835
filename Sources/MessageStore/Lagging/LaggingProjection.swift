internal import Dispatch
internal import MessageStoreLMDB

/// Rows that follow the log at their own pace, in files of their own: a search index, or a host's statistics.
///
/// A `Projection` is folded with every event, before the next read, and sees no contents. A lagging projection is
/// folded by a thread of its own while nothing is recorded, may read contents, and every read of it says up to which
/// position it has come. It is no part of digests, verification, replays and backups. Its rows can be lost at any time:
/// if they are missing, damaged, of another version or of another store, they are made again from the log.
///
/// ```swift
/// configuration.laggingProjections = [WordCounts()]
/// let count = try store.read(WordCounts.id) { rows in try rows?.value(at: Array("hello".utf8)) }
/// ```
///
/// Content that a redaction or an erasure removes from the log has to leave these rows as well, see
/// ``erase(_:in:from:)``. A process that redacts or erases without knowing the projection removes its files.
public protocol LaggingProjection: Sendable {
    /// Its name: reverse-DNS, such as `com.example.word-counts`.
    static var id: ProjectionID { get }

    /// Raised when ``apply(_:in:to:)`` or the rows change, so that they are made again.
    var version: UInt32 { get }

    /// How many events wait before the work begins; a read takes care of waiting ones. Default: 1.
    var minimumLag: Int { get }

    /// Adds the content of events. Called with one range after the other, without gaps between them; the rows are
    /// committed with the range, or not at all. It must not use the store, and may be called again for the same range,
    /// with the rows as they were before.
    ///
    /// - Parameters:
    ///   - positions: The events: at most 16,384.
    ///   - views: Events, with their contents, and all views, at the last of these positions or later.
    ///   - rows: The rows.
    /// - Throws: Whatever keeps it from its work: it is logged, and tried again at the next opening.
    func apply(_ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows) throws

    /// Removes from the rows all that came from the contents of some events, which the log does not have any more. Long
    /// work is left to ``maintain(_:thoroughly:)``.
    ///
    /// - Parameters:
    ///   - positions: The events.
    ///   - views: Events and all views, as they are without those contents.
    ///   - rows: The rows.
    /// - Returns: Whether that succeeded; false to have all rows made again, which is the default.
    func erase(_ positions: [Position], in views: borrowing Views, from rows: borrowing LaggingRows) throws -> Bool

    /// Does a piece of the work that is left, such as merging rows, in a commit of its own: some milliseconds. Called while
    /// nothing waits.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - thoroughly: Whether erased content must leave the rows now, since they are about to be compacted.
    /// - Returns: Whether it did anything; false if nothing is left. Default: false.
    func maintain(_ rows: borrowing LaggingRows, thoroughly: Bool) throws -> Bool
}

/// A projection whose rows lie in parts, by the first bytes of their keys.
package protocol PartedRows {
    /// How many bytes of keys stay clear in a sealed store: a walk reads the keys of a part in order, and not of all rows.
    static var partBytes: Int { get }
}

extension LaggingProjection {
    /// One event.
    public var minimumLag: Int { 1 }

    /// Has all rows made again.
    public func erase(
        _ positions: [Position], in views: borrowing Views, from rows: borrowing LaggingRows
    ) throws -> Bool { false }

    /// Does nothing.
    public func maintain(_ rows: borrowing LaggingRows, thoroughly: Bool) throws -> Bool { false }
}

extension MessageStore {
    /// Runs `body` with the rows of a lagging projection, also inside a read of views.
    ///
    /// ``LaggingSnapshot/position`` says which events the rows know; views that were read before may know earlier ones, or
    /// lack some. `rows` is nil if there are none yet. A store that is open for reading only sees the rows that the
    /// process writes which has it open for that.
    ///
    /// ```swift
    /// try store.read { views in
    ///     try store.read(WordCounts.id) { rows in … }
    /// }
    /// ```
    ///
    /// - Throws: `StoreError`: `invalidArgument` if the projection is not registered, `viewsDamaged` if rows are
    ///   damaged, which are then made again, `closed`; or what `body` throws.
    public func read<Result>(
        _ projection: ProjectionID, _ body: (_ rows: borrowing LaggingSnapshot?) throws -> Result
    ) throws -> Result {
        let runner = try lagging[projection]
        return try StoreError.translating {
            do {
                try closing.check()
                return try body(try runner.snapshot(isReadOnly: isReadOnly))
            } catch let error as StoreError where runner.isOwnDamage(error) {
                if !isReadOnly {
                    try runner.drop()
                    runner.wake(self)
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
        try await Self.runCancellable(on: readQueue) { check, _ in try body(check) }
    }

    /// Folds the events that a lagging projection lacks, at once, and does the work that is left on its rows.
    ///
    /// - Parameters:
    ///   - projection: The projection.
    ///   - progress: Called periodically with the position reached and the last one; throwing ends the work, which keeps
    ///     the events folded so far.
    /// - Throws: `StoreError`: `invalidArgument` if it is not registered, `readOnly`; what the projection throws; or
    ///   what `progress` throws.
    public func catchUp(
        _ projection: ProjectionID, progress: ReplayProgress = { _, _ in }
    ) throws {
        let runner = try lagging[projection]
        while try runner.step(self, atLeast: 1) { try progress(position(of: projection), lastPosition()) }
    }

    /// Folds the events that a lagging projection lacks; the `async` form of the synchronous one, which ends early when
    /// the task is cancelled.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func catchUp(
        _ projection: ProjectionID,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws {
        try await Self.runCancellable(on: readQueue, progress: progress) { _, progress in
            try self.catchUp(projection, progress: progress)
        }
    }

    /// The last event that a lagging projection knows; the origin if it has no rows.
    ///
    /// - Throws: `StoreError`, `invalidArgument` if it is not registered.
    public func position(of projection: ProjectionID) throws -> Position {
        let runner = try lagging[projection]
        return try StoreError.translating { try runner.position(isReadOnly: isReadOnly) }
    }
}

extension LaggingRunner {
    /// The rows at this moment; nil if there are none that can be read.
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
