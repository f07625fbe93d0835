import MessageStoreCLMDB

/// An environment of LMDB as it is, without this library: keys and values as they are stored.
///
/// Nobody else has it open.
final class RawEnvironment {
    struct Row: Hashable {
        var key: [UInt8]
        var value: [UInt8]
    }

    struct Failure: Error {
        let code: Int32
        let operation: String
    }

    private let handle: OpaquePointer

    /// - Parameter directory: The directory of the data file.
    init(_ directory: String) throws {
        var created: OpaquePointer?
        try Self.check(mdb_env_create(&created), "create a handle")
        guard let created else { throw Failure(code: 0, operation: "create a handle") }
        handle = created
        try Self.check(mdb_env_set_mapsize(handle, 1 << 28), "set the size of the map")
        try Self.check(mdb_env_set_maxdbs(handle, 256), "set the number of tables")
        try Self.check(mdb_env_open(handle, directory, UInt32(MDB_NOLOCK), 0o600), "open \(directory)")
    }

    deinit { mdb_env_close(handle) }

    /// The names of all tables.
    func tables() throws -> [String] {
        try transaction(UInt32(MDB_RDONLY)) { transaction in
            try rows(of: table(nil, transaction), transaction).map { String(decoding: $0.key, as: UTF8.self) }
        }
    }

    /// The rows of a table, in the order in which they are stored.
    func rows(of name: String) throws -> [Row] {
        try transaction(UInt32(MDB_RDONLY)) { try rows(of: table(name, $0), $0) }
    }

    /// Puts a row in the place of the one of its key, if there is one.
    func put(_ row: Row, in name: String) throws {
        try transaction(0) { transaction in
            let table = try table(name, transaction)
            try withValue(row.key) { key in
                try withValue(row.value) { value in
                    try Self.check(mdb_put(transaction, table, &key, &value, 0), "put into \(name)")
                }
            }
        }
    }

    /// Removes the row of a key.
    func remove(_ key: [UInt8], from name: String) throws {
        try transaction(0) { transaction in
            let table = try table(name, transaction)
            try withValue(key) { try Self.check(mdb_del(transaction, table, &$0, nil), "remove from \(name)") }
        }
    }

    private func transaction<Result>(_ flags: UInt32, _ body: (OpaquePointer) throws -> Result) throws -> Result {
        var begun: OpaquePointer?
        try Self.check(mdb_txn_begin(handle, nil, flags, &begun), "begin")
        guard let begun else { throw Failure(code: 0, operation: "begin") }
        let result: Result
        do { result = try body(begun) } catch {
            mdb_txn_abort(begun)
            throw error
        }
        try Self.check(mdb_txn_commit(begun), "commit")
        return result
    }

    private func table(_ name: String?, _ transaction: OpaquePointer) throws -> MDB_dbi {
        var table: MDB_dbi = 0
        try Self.check(mdb_dbi_open(transaction, name, 0, &table), "open the table \(name ?? "of tables")")
        return table
    }

    private func rows(of table: MDB_dbi, _ transaction: OpaquePointer) throws -> [Row] {
        var opened: OpaquePointer?
        try Self.check(mdb_cursor_open(transaction, table, &opened), "open a cursor")
        defer { mdb_cursor_close(opened) }
        var (rows, key, value) = ([Row](), MDB_val(), MDB_val())
        while true {
            let code = mdb_cursor_get(opened, &key, &value, MDB_NEXT)
            if code == MDB_NOTFOUND { return rows }
            try Self.check(code, "move")
            rows.append(Row(key: Self.bytes(key), value: Self.bytes(value)))
        }
    }

    private func withValue(_ bytes: [UInt8], _ body: (inout MDB_val) throws -> Void) throws {
        try bytes.withUnsafeBytes { bytes in
            var value = MDB_val(
                mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            try body(&value)
        }
    }

    private static func bytes(_ value: MDB_val) -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }

    private static func check(_ code: Int32, _ operation: String) throws {
        guard code == 0 else { throw Failure(code: code, operation: operation) }
    }
}
