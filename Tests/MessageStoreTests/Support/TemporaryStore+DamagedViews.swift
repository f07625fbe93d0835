import MessageStore
import MessageStoreLMDB

extension TemporaryStore {
    /// Changes a table of the closed store's views, behind the store's back.
    func changeViews(
        table name: String, _ body: (borrowing WriteTransaction, Table) throws -> Void
    ) throws {
        let environment = try Environment(path: path + "/views", configuration: .init(access: .readWrite))
        let tables = try environment.openTables([name], create: false)
        try environment.write { try body($0, tables[0]) }
    }

    /// Replaces every row of a table of the closed store's views.
    ///
    /// - Returns: The keys of the new rows.
    @discardableResult
    func replaceRows(ofTable name: String, _ change: (StoredRow) -> StoredRow) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try changeViews(table: name) { transaction, table throws in
            let rows = try Self.rows(of: table, transaction)
            for row in rows { try transaction.remove(row.key.span.bytes, in: table) }
            for row in rows.map(change) {
                try transaction.put(row.value.span.bytes, for: row.key.span.bytes, in: table)
                keys.append(row.key)
            }
        }
        return keys
    }

    /// Removes every row of a table of the closed store's views.
    func removeRows(ofTable name: String) throws {
        try changeViews(table: name) { transaction, table throws in
            for row in try Self.rows(of: table, transaction) { try transaction.remove(row.key.span.bytes, in: table) }
        }
    }

    private static func rows(of table: Table, _ transaction: borrowing WriteTransaction) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        var cursor = try transaction.cursor(in: table)
        while try cursor.move(.next) {
            rows.append(
                StoredRow(
                    key: cursor.key.withUnsafeBytes { [UInt8]($0) },
                    value: cursor.value.withUnsafeBytes { [UInt8]($0) }))
        }
        return rows
    }
}

/// A row of the views as it is stored.
struct StoredRow {
    var key: [UInt8]
    var value: [UInt8]
}

/// Bytes as an error shows them.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
