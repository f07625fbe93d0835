internal import MessageStore
internal import MessageStoreTestKit
internal import MessageStoreWorkload

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
    /// - Throws: A `StoreError`, or an error of the file system, if no log can be made in the temporary directory.
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

/// In which order an exercise sets the keys of its rows.
public enum RowKeyOrder: Sendable, CaseIterable {
    /// Each key is greater than the one before, as in a table by position.
    case ascending
    /// Keys in no order that differ within their first eight bytes.
    case random
    /// Keys in no order whose first eight bytes are equal, as in the keys of one conversation's messages of some hours:
    /// a search must look beyond the bytes that the write buffer keeps next to its rows.
    case randomAfterSharedPrefix
}

/// Rows with different keys of 16 bytes and values of 32, made before anything is measured.
struct ExerciseRows {
    static let keySize = 16
    static let valueSize = 32

    let count: Int
    private let keys: [UInt8]
    private let value = [UInt8](repeating: 0x5A, count: valueSize)

    init(count: Int, order: RowKeyOrder) {
        var keys: [UInt8] = []
        keys.reserveCapacity(count * Self.keySize)
        for ordinal in 0..<UInt64(max(count, 0)) {
            let (first, second) =
                switch order {
                case .ascending: (ordinal, 0 as UInt64)
                case .random: (SplitMix64.mix(ordinal), 0)
                case .randomAfterSharedPrefix: (0, SplitMix64.mix(ordinal))
                }
            for half in [first, second] { withUnsafeBytes(of: half.bigEndian) { keys.append(contentsOf: $0) } }
        }
        self.count = max(count, 0)
        self.keys = keys
    }

    /// The key that is at `index` in the order of setting.
    @_lifetime(borrow self)
    borrowing func key(_ index: Int) -> RawSpan {
        let bytes = keys.span.bytes.extracting(index * Self.keySize..<(index + 1) * Self.keySize)
        return _overrideLifetime(bytes, borrowing: self)
    }

    /// The value of every row.
    var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { _overrideLifetime(value.span.bytes, borrowing: self) }
    }
}

extension ViewSnapshot {
    /// Walks `count` rows upwards from a key, and goes on with the first row after the last.
    ///
    /// - Returns: How many rows there were: `count`, unless the table is empty.
    borrowing func walk(_ table: ViewTable, _ count: Int, from key: RawSpan) throws -> Int {
        var cursor = try rows(table, from: key)
        var walked = 0
        while walked < count, try cursor.next() { walked += 1 }
        while walked < count {
            var restarted = try rows(table)
            guard try restarted.next() else { break }
            walked += 1
            while walked < count, try restarted.next() { walked += 1 }
        }
        return walked
    }

    /// Walks `count` rows downwards from below a key, and goes on with the last row after the first.
    ///
    /// - Returns: How many rows there were: `count`, unless the table is empty.
    borrowing func walkBackwards(_ table: ViewTable, _ count: Int, before key: RawSpan) throws -> Int {
        var cursor = try rowsBackwards(table, before: key)
        var walked = 0
        while walked < count, try cursor.next() { walked += 1 }
        while walked < count {
            var restarted = try rowsBackwards(table)
            guard try restarted.next() else { break }
            walked += 1
            while walked < count, try restarted.next() { walked += 1 }
        }
        return walked
    }

    /// Walks all rows of a table, upwards from the first.
    ///
    /// - Returns: How many rows there were.
    borrowing func walkAll(_ table: ViewTable) throws -> Int {
        var cursor = try rows(table)
        var walked = 0
        while try cursor.next() { walked += 1 }
        return walked
    }
}
