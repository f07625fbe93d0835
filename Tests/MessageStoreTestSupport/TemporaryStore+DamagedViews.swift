@testable import MessageStore
import MessageStoreLMDB
@testable import MessageStoreProjections

extension TemporaryStore {
    /// Opens `log` or `views` of the closed store, with its key.
    func environment(_ name: String) throws -> Environment {
        let keys = try StoreIdentity.read(from: path).keys(in: StoreDirectory(path: path), Self.key)
        let key = name == "log" ? keys?.log : keys?.views
        return try Environment(path: path + "/" + name, configuration: .init(access: .readWrite, key: key))
    }

    /// Changes a table of the closed store's views, behind the store's back.
    func changeViews(
        table name: String, _ body: (borrowing WriteTransaction, MessageStoreLMDB.Table) throws -> Void
    ) throws {
        let environment = try environment("views")
        let forms = ProjectionCatalog.builtIn.sealedForms.merging(["meta": SealedForm()]) { $1 }
        let tables = try environment.openTables([name], create: false, sealed: forms)
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
            try transaction.removeAll(in: table)
            for row in rows.map(change) {
                let value = Self.tablesInChunks.contains(name) ? row.chunk : row.value
                try transaction.put(value.span.bytes, for: row.key.span.bytes, in: table)
                keys.append(row.key)
            }
        }
        return keys
    }

    /// Removes every row of a table of the closed store's views.
    func removeRows(ofTable name: String) throws {
        try changeViews(table: name) { transaction, table throws in try transaction.removeAll(in: table) }
    }

    /// The tables whose rows lie many to a value, by the document of the format.
    private static let tablesInChunks = ["timeline"]

    private static func rows(of table: MessageStoreLMDB.Table, _ transaction: borrowing WriteTransaction) throws
        -> [StoredRow]
    {
        var rows: [StoredRow] = []
        var cursor = try transaction.cursor(in: table)
        while try cursor.move(.next) {
            let row = StoredRow(
                key: cursor.key.withUnsafeBytes { [UInt8]($0) },
                value: try cursor.value.withUnsafeBytes { [UInt8]($0) })
            rows += tablesInChunks.contains(table.name) ? StoredRow.rows(ofChunk: row.value) : [row]
        }
        return rows
    }
}

/// A row of the views as it is stored.
struct StoredRow {
    var key: [UInt8]
    var value: [UInt8]

    /// A chunk of this row alone, as the document of the format has it.
    var chunk: [UInt8] {
        [1, UInt8(key.count & 0xFF), UInt8(key.count >> 8)]
            + (0..<4).map { UInt8(value.count >> (8 * $0) & 0xFF) } + key + value
    }

    /// The rows of a chunk, as the document of the format has them.
    static func rows(ofChunk bytes: [UInt8]) -> [StoredRow] {
        var (rows, rest) = ([StoredRow](), bytes[...])
        func take(_ count: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        while let form = take(1).first {
            if form == 1 {
                let (key, value) = (take(2), take(4))
                rows.append(
                    StoredRow(
                        key: take(Int(key[0]) | Int(key[1]) << 8),
                        value: take(value.reversed().reduce(0) { $0 << 8 | Int($1) })))
            } else {
                var row = rows[rows.count - 1]
                for start in stride(from: 0, to: row.key.count, by: 8) {
                    let mask = take(1)[0]
                    for bit in 0..<8 where mask >> UInt8(bit) & 1 == 1 { row.key[start + bit] = take(1)[0] }
                }
                row.value = take(row.value.count)
                rows.append(row)
            }
        }
        return rows
    }
}

/// Bytes as an error shows them.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
