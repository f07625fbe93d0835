internal import MessageStoreTestKit
internal import MessageStoreWorkload
internal import MessageStore

/// Walks and looks up timeline rows that are merged from the write buffer and the views' environment, as queries do.
///
/// The environment has one row for each message of the synthetic workload; of some of them the buffer has a newer
/// version. Not for use by two threads at once.
public final class RowCursorExercise {
    /// How many rows a walk over all of them meets.
    public let rowCount: Int
    /// How many of them the buffer has.
    public let bufferedCount: Int
    private let views: ViewSnapshot
    /// The keys of all rows, in order.
    private let keys: [[UInt8]]
    private var next: CyclicIndex
    private static let table = ViewTable.named("timeline")

    /// Folds the workload, flushes it and buffers newer rows.
    ///
    /// - Parameters:
    ///   - eventCount: How many events of the fitted workload are recorded, at least 1.
    ///   - step: One row in this many is in the buffer, too; 0 leaves the buffer empty, 1 buffers all.
    /// - Throws: A `StoreError`, or an error of the file system, where no log can be made in the temporary directory.
    public init(eventCount: Int, bufferingEvery step: Int) throws {
        let workload = WorkloadGenerator(.fitted, eventCount: max(eventCount, 1))
        let directory = workload.directory
        let events = workload.filter { $0.duplicateOf == nil }.map { directory.event($0) }
        let store = try ExerciseDirectory.with { path in
            let store = try ServedViews(emptyIn: path)
            try store.log.symbols.enter(account: directory.accountID)
            let prepared = try store.log.prepare(
                events, account: directory.accountID, now: Timestamp(milliseconds: 1_700_000_000_000))
            try store.log.commit(prepared)
            try store.finish()
            return store
        }
        let stored = try store.snapshot()
        var rows = FoldRows(try store.snapshot())
        (keys, bufferedCount) = try Self.buffer(every: step, of: stored, in: &rows)
        rowCount = keys.count
        next = CyclicIndex(count: keys.count, step: CyclicIndex.wideStep)
        views = rows.finish()
    }

    /// Copies rows of `stored` to the buffer of `rows`; answers the keys of all and how many were copied.
    private static func buffer(
        every step: Int, of stored: borrowing ViewSnapshot, in rows: inout FoldRows
    ) throws -> (keys: [[UInt8]], bufferedCount: Int) {
        var keys: [[UInt8]] = []
        var bufferedCount = 0
        var cursor = try stored.rows(table)
        while try cursor.next() {
            if step > 0, keys.count % step == 0 {
                rows.put(table, cursor.key, cursor.value)
                bufferedCount += 1
            }
            keys.append(cursor.key.copied)
        }
        return (keys, bufferedCount)
    }

    /// Walks `count` rows upwards from a key with a new cursor, and goes on with the first row after the last;
    /// successive calls begin far from one another.
    ///
    /// - Returns: How many rows there were.
    public func walk(_ count: Int) throws -> Int {
        let key = keys[next.next()]
        return try views.walk(Self.table, count, from: key.span.bytes)
    }

    /// Walks `count` rows downwards from below a key with a new cursor, as a page of a timeline is read, and goes on
    /// with the last row after the first; successive calls begin far from one another.
    ///
    /// - Returns: How many rows there were.
    public func walkBackwards(_ count: Int) throws -> Int {
        let key = keys[next.next()]
        return try views.walkBackwards(Self.table, count, before: key.span.bytes)
    }

    /// Looks up `count` rows, each far from the one before.
    ///
    /// - Returns: How many were found.
    public func lookUp(_ count: Int) throws -> Int {
        try Self.lookUp(count, keys, in: views, &next)
    }

    private static func lookUp(
        _ count: Int, _ keys: [[UInt8]], in views: borrowing ViewSnapshot, _ next: inout CyclicIndex
    ) throws -> Int {
        var found = 0
        for _ in 0..<count {
            let key = keys[next.next()]
            if try views.row(table, key.span.bytes) != nil { found += 1 }
        }
        return found
    }

    /// Walks all rows once, upwards from the first.
    ///
    /// - Returns: How many rows there were.
    public func walkAll() throws -> Int { try views.walkAll(Self.table) }
}
