internal import MessageStoreCLMDB

/// A named table of an environment; open all of them once, right after the environment.
package struct Table: Sendable, Hashable {
    let handle: MDB_dbi
    package let name: String
}

extension Environment {
    /// Opens tables by name, all in one transaction.
    ///
    /// - Parameter create: Whether missing tables are created; needs write access.
    /// - Throws: ``LMDBError`` with code `notFound` where a table is missing and not created.
    package func openTables(_ names: [String], create: Bool) throws -> [Table] {
        let tables =
            if create {
                try write { transaction in
                    try names.map { try openTable($0, in: transaction.handle, flags: UInt32(MDB_CREATE)) }
                }
            } else {
                try withTableTransaction { transaction in
                    try names.map { try openTable($0, in: transaction, flags: 0) }
                }
            }
        upkeep.withLock { upkeep in upkeep.tables += tables.filter { !upkeep.tables.contains($0) } }
        return tables
    }

    /// Handles opened in a read transaction live on only where that transaction is committed.
    private func withTableTransaction<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        let begun = try begin(beginReader)
        defer { gate.leave() }
        let result: Result
        do {
            result = try body(begun)
        } catch {
            mdb_txn_abort(begun)
            throw error
        }
        try check(mdb_txn_commit(begun), "commit read transaction")
        return result
    }

    func openTable(_ name: String, in transaction: OpaquePointer, flags: UInt32) throws(LMDBError) -> Table {
        var table: MDB_dbi = 0
        try check(mdb_dbi_open(transaction, name, flags, &table), "open table \(name)")
        return Table(handle: table, name: name)
    }
}
