internal import MessageStore
internal import MessageStoreLMDB

/// Inserts rows into the write buffer of the views, updates them, looks them up and walks them; no file is read.
///
/// Methods take rows in the order in which they were set, and begin again after the last. Rows have keys of 16 bytes
/// and values of 32. Not for use by two threads at once.
public final class WriteBufferExercise {
    /// How many rows the full buffer has.
    public let rowCount: Int
    private let rows: ExerciseRows
    private let store: ServedViews
    /// Holds all rows.
    private var full: FoldRows
    /// Holds the first rows, up to the next that is inserted.
    private var growing: FoldRows
    private var inserted = 0
    private var next: CyclicIndex
    private var nextStart: CyclicIndex
    /// Any table does: no fold runs here.
    private static let table = ViewTable.named("timeline")

    /// Makes the rows and a buffer that has them.
    ///
    /// - Parameters:
    ///   - rowCount: The rows of the full buffer, at least 1.
    ///   - order: The order in which they are set.
    /// - Throws: A `StoreError`, or an error of the file system, if no log can be made in the temporary directory.
    public init(rowCount: Int, order: RowKeyOrder) throws {
        let rows = ExerciseRows(count: max(rowCount, 1), order: order)
        let store = try ExerciseDirectory.with { path in try ServedViews(emptyIn: path) }
        var full = FoldRows(try store.snapshot())
        for index in 0..<rows.count { full.put(Self.table, rows.key(index), rows.bytes) }
        self.rows = rows
        self.rowCount = rows.count
        next = CyclicIndex(count: rows.count)
        nextStart = CyclicIndex(count: rows.count, step: CyclicIndex.wideStep)
        self.store = store
        self.full = full
        growing = FoldRows(try store.snapshot())
    }

    /// Inserts the next `count` rows; a buffer that has all of them is dropped, and an empty one takes its place.
    ///
    /// - Returns: How many rows the buffer that took the last row has now.
    public func insert(_ count: Int) throws -> Int {
        let rows = rows
        for _ in 0..<count {
            if inserted == rowCount {
                growing = FoldRows(try store.snapshot())
                inserted = 0
            }
            growing.put(Self.table, rows.key(inserted), rows.bytes)
            inserted += 1
        }
        return inserted
    }

    /// Sets the next `count` rows of the full buffer to values of the same size, which changes them in place.
    public func update(_ count: Int) {
        let rows = rows
        for _ in 0..<count { full.put(Self.table, rows.key(next.next()), rows.bytes) }
    }

    /// Looks up the next `count` rows of the full buffer.
    ///
    /// - Returns: How many were found, with their value.
    public func lookUp(_ count: Int) throws -> Int {
        try Self.lookUp(count, rows, in: full.snapshot, &next)
    }

    private static func lookUp(
        _ count: Int, _ rows: ExerciseRows, in views: borrowing ViewSnapshot, _ next: inout CyclicIndex
    ) throws -> Int {
        var found = 0
        for _ in 0..<count {
            if let value = try views.row(table, rows.key(next.next())), value.byteCount == rows.bytes.byteCount {
                found += 1
            }
        }
        return found
    }

    /// Walks `count` rows of the full buffer in the order of their keys with a new cursor, and goes on with the first
    /// row after the last; successive calls begin far from one another.
    ///
    /// - Returns: How many rows there were.
    public func walk(_ count: Int) throws -> Int {
        let rows = rows
        return try full.snapshot.walk(Self.table, count, from: rows.key(nextStart.next()))
    }

    /// Walks all rows of the full buffer once, in the order of their keys.
    ///
    /// - Returns: How many rows there were.
    public func walkAll() throws -> Int { try full.snapshot.walkAll(Self.table) }

    /// Walks all rows of the buffer that ``insert(_:)`` fills, in the order of their keys.
    ///
    /// - Returns: How many rows there were.
    public func walkInserted() throws -> Int { try growing.snapshot.walkAll(Self.table) }
}

extension ServedViews {
    /// The views of an empty log in a new directory, never flushed unless asked to.
    convenience init(emptyIn path: String) throws {
        try FileSystem.createDirectory(path + "/log")
        let log = try EventLog(path: path + "/log", configuration: .init(access: .create, durability: .none))
        try self.init(
            log: log, path: path + "/views", storeID: [UInt8](repeating: 1, count: 16),
            configuration: .init(bufferBytes: .max, durability: .none))
    }
}
