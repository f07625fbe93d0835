internal import CRawLMDB
internal import Foundation

/// A failed LMDB call of a peer.
struct RawError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32
    var description: String { "\(operation): \(String(cString: mdb_strerror(code)))" }
}

/// LMDB without anything of ours: what the peers of the store are written with.
final class RawEnvironment {
    private let handle: OpaquePointer
    private var tables: [UInt32] = []

    init(_ path: String, tables names: [String]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var created: OpaquePointer?
        try Self.check(mdb_env_create(&created), "create")
        guard let created else { throw RawError(operation: "create", code: ENOMEM) }
        handle = created
        try Self.check(mdb_env_set_mapsize(handle, 64 << 30), "set map size")
        try Self.check(mdb_env_set_maxdbs(handle, 8), "set table limit")
        try Self.check(mdb_env_open(handle, path, UInt32(MDB_NOTLS), 0o600), "open")
        try write { transaction in
            for name in names {
                var table: MDB_dbi = 0
                try Self.check(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &table), "open table")
                tables.append(table)
            }
        }
    }

    deinit {
        mdb_env_close(handle)
    }

    /// One durable transaction.
    func write(_ body: (OpaquePointer) throws -> Void) throws {
        var begun: OpaquePointer?
        try Self.check(mdb_txn_begin(handle, nil, 0, &begun), "begin")
        guard let begun else { throw RawError(operation: "begin", code: ENOMEM) }
        do {
            try body(begun)
        } catch {
            mdb_txn_abort(begun)
            throw error
        }
        try Self.check(mdb_txn_commit(begun), "commit")
    }

    func put(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, table: Int, in transaction: OpaquePointer,
        isAppend: Bool = false
    ) throws {
        var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
        var dataValue = MDB_val(mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
        let flags = isAppend ? UInt32(MDB_APPEND) : 0
        try Self.check(mdb_put(transaction, tables[table], &keyValue, &dataValue, flags), "put")
    }

    /// The number of the last committed transaction.
    var lastTransaction: Int { Self.lastTransaction(of: handle) }

    private static func lastTransaction(of handle: OpaquePointer) -> Int {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        return Int(info.me_last_txnid)
    }

    /// The number of the last committed transaction of an environment that is not open here; 0 where there is none.
    static func lastTransaction(_ path: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: path + "/data.mdb") else { return 0 }
        var created: OpaquePointer?
        try check(mdb_env_create(&created), "create")
        guard let created else { throw RawError(operation: "create", code: ENOMEM) }
        defer { mdb_env_close(created) }
        // Without a lock: the file is only looked at.
        try check(mdb_env_open(created, path, UInt32(MDB_RDONLY | MDB_NOLOCK), 0o600), "open")
        return lastTransaction(of: created)
    }

    private static func check(_ code: Int32, _ operation: String) throws {
        guard code == 0 else { throw RawError(operation: operation, code: code) }
    }
}
