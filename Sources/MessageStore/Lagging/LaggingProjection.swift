/// Rows that follow the log at their own pace, in files of their own: a search index, or a host's statistics.
///
/// A `Projection` is folded with every event, before the next read, and sees no contents. A lagging projection is
/// folded by a thread of its own while nothing is recorded, may read contents, and every read of it says up to which
/// position it has come. It is no part of digests, verification, replays and backups. Its rows can be lost at any time:
/// where they are missing, damaged, of another version or of another store, they are made again from the log.
///
/// ```swift
/// configuration.laggingProjections = [WordCounts()]
/// let count = try store.read(WordCounts.self) { rows in try rows?.value(at: Array("hello".utf8)) }
/// ```
///
/// What a redaction or an erasure removes from the log has to leave these rows as well, see
/// ``erase(_:in:from:)``. A process that redacts or erases without knowing the projection removes its files.
public protocol LaggingProjection: Sendable {
    /// Its name: reverse-DNS, such as `com.example.word-counts`.
    static var id: ProjectionID { get }

    /// Raised when ``apply(_:in:to:)`` or the rows change, so that they are made again.
    var version: UInt32 { get }

    /// How many events wait before the work begins; a read takes care of those that wait. Default: 1.
    var minimumLag: Int { get }

    /// Adds what events say. Called with one range after the other, without gaps between them; the rows are committed with the
    /// range, or not at all. It must not use the store, and may be called again for the same range, with the rows as they were before.
    ///
    /// - Parameters:
    ///   - positions: The events: at most 16,384.
    ///   - views: Events, with their contents, and all views, at the last of these positions or later.
    ///   - rows: The rows.
    /// - Throws: Whatever keeps it from its work: it is logged, and tried again at the next opening.
    func apply(_ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows) throws

    /// Removes from the rows all that came from the contents of some events, which the log does not have any more. What
    /// takes long is left to ``maintain(_:thoroughly:)``.
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
    ///   - thoroughly: Whether what was erased must leave the rows now, since they are about to be compacted.
    /// - Returns: Whether it did anything; false if nothing is left. Default: false.
    func maintain(_ rows: borrowing LaggingRows, thoroughly: Bool) throws -> Bool
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
