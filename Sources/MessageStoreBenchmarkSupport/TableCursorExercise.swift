internal import MessageStoreLMDB

/// Reads a table of an LMDB environment by key and by cursor, the layer below the views, for comparison.
///
/// The table is in memory, in the system's page cache. Rows have keys of 16 bytes and values of 32. Methods take rows
/// in an order that is not that of the keys, and begin again after the last. Not for use by two threads at once.
public final class TableCursorExercise {
    /// How many rows the table has.
    public let rowCount: Int
    private let rows: ExerciseRows
    private let transaction: ReadTransaction
    private let table: Table
    private var next: CyclicIndex

    /// Writes the table in one commit.
    ///
    /// - Parameter rowCount: The rows of the table, at least 1.
    /// - Throws: An error of LMDB or of the file system if no environment can be made in the temporary directory.
    public init(rowCount: Int) throws {
        let rows = ExerciseRows(count: max(rowCount, 1), order: .random)
        let (environment, table) = try ExerciseDirectory.with { path in
            let environment = try Environment(path: path, configuration: .init(access: .create, durability: .none))
            let table = try environment.openTables(["rows"], create: true)[0]
            try environment.write { transaction in
                for index in 0..<rows.count { try transaction.put(rows.bytes, for: rows.key(index), in: table) }
            }
            return (environment, table)
        }
        self.rows = rows
        self.rowCount = rows.count
        next = CyclicIndex(count: rows.count)
        self.table = table
        transaction = try environment.beginRead()
    }

    /// Looks up the next `count` rows.
    ///
    /// - Returns: How many were found, with their value.
    public func lookUp(_ count: Int) throws -> Int {
        try Self.lookUp(count, rows, in: transaction, table, &next)
    }

    private static func lookUp(
        _ count: Int, _ rows: ExerciseRows, in transaction: borrowing ReadTransaction, _ table: Table,
        _ next: inout CyclicIndex
    ) throws -> Int {
        var found = 0
        for _ in 0..<count {
            let value = try transaction.value(for: rows.key(next.next()), in: table)
            if let value, value.byteCount == rows.bytes.byteCount { found += 1 }
        }
        return found
    }

    /// Walks `count` rows in the order of their keys with a new cursor, and goes on with the first row after the last;
    /// successive calls begin in no order.
    ///
    /// - Returns: How many rows there were.
    public func walk(_ count: Int) throws -> Int {
        try Self.walk(count, from: next.next(), rows, in: transaction, table)
    }

    private static func walk(
        _ count: Int, from index: Int, _ rows: ExerciseRows, in transaction: borrowing ReadTransaction, _ table: Table
    ) throws -> Int {
        var cursor = try transaction.cursor(in: table)
        var walked = 0
        var isFound = try cursor.seek(rows.key(index))
        while isFound, walked < count {
            walked += 1
            isFound = try cursor.move(.next) || cursor.move(.first)
        }
        return walked
    }

    /// Walks all rows once, from the first.
    ///
    /// - Returns: How many rows there were.
    public func walkAll() throws -> Int { try Self.walkAll(in: transaction, table) }

    private static func walkAll(in transaction: borrowing ReadTransaction, _ table: Table) throws -> Int {
        var cursor = try transaction.cursor(in: table)
        var walked = 0
        while try cursor.move(.next) { walked += 1 }
        return walked
    }
}
