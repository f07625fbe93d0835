internal import MessageStoreCLMDB

/// A named table of an environment; open all of them once, right after the environment.
package struct Table: Sendable, Hashable {
    let handle: MDB_dbi
    package let name: String
    /// Seals its values; nil if they are clear.
    let seal: TableSeal?

    /// Whether its values are sealed.
    package var isSealed: Bool { seal != nil }

    package static func == (first: Table, second: Table) -> Bool {
        first.handle == second.handle && first.name == second.name
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(handle) }
}

extension Environment {
    /// Opens tables by name, all in one transaction.
    ///
    /// - Parameters:
    ///   - create: Whether missing tables are created; needs write access.
    ///   - forms: The forms of tables whose values are sealed, if the environment has a key.
    /// - Throws: ``LMDBError`` with code `notFound` where a table is missing and not created.
    package func openTables(_ names: [String], create: Bool, sealed forms: [String: SealedForm] = [:]) throws -> [Table]
    {
        func open(_ name: String, in transaction: OpaquePointer) throws(LMDBError) -> Table {
            let seal = sealer.flatMap { sealer in forms[name].map { TableSeal(name, $0, sealer.key) } }
            return try openTable(name, in: transaction, flags: create ? UInt32(MDB_CREATE) : 0, seal: seal)
        }
        let tables =
            if create {
                try write { transaction in try names.map { try open($0, in: transaction.handle) } }
            } else {
                try withTableTransaction { transaction in try names.map { try open($0, in: transaction) } }
            }
        upkeep.withLock { upkeep in upkeep.tables += tables.filter { !upkeep.tables.contains($0) } }
        return tables
    }

    /// Whether a table is there; it is not opened for use.
    func hasTable(_ name: String) throws -> Bool {
        do {
            _ = try withTableTransaction { transaction in try openTable(name, in: transaction, flags: 0) }
            return true
        } catch let error as LMDBError where error.code == .notFound { return false }
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

    func openTable(
        _ name: String, in transaction: OpaquePointer, flags: UInt32, seal: TableSeal? = nil
    ) throws(LMDBError) -> Table {
        var table: MDB_dbi = 0
        try check(mdb_dbi_open(transaction, name, flags, &table), "open table \(name)")
        return Table(handle: table, name: name, seal: seal)
    }
}

/// A copy of a table in an empty table of another environment, made in steps with a snapshot each.
///
/// Pages keep bytes of entries that were changed or removed, in the slack of pages that are in use as well, and LMDB's
/// own compacting copy takes pages as they are. An environment that was filled by puts alone holds nothing else.
package struct TableCopy {
    /// The last key that was copied; empty before the first.
    package private(set) var lastKey: [UInt8] = []
    /// How many entries were read.
    package private(set) var count = 0

    /// Entries, and bytes of their values, that share a snapshot of the source.
    private static let (entriesPerStep, bytesPerStep) = (16_384, 8 << 20)

    package init() {}

    /// Copies the next entries of a snapshot in a transaction of the other environment.
    ///
    /// - Parameters:
    ///   - leavesOut: Whether an entry of a key is not copied.
    ///   - replacement: Called with each key and value; answers the value to be written, nil for the same one.
    /// - Returns: Whether there are more.
    package mutating func step(
        of table: Table, in snapshot: borrowing ReadTransaction, to copy: Table,
        in transaction: borrowing WriteTransaction, leavingOut leavesOut: (RawSpan) -> Bool = { _ in false },
        replacing replacement: (RawSpan, RawSpan) throws -> [UInt8]? = { _, _ in nil }
    ) throws -> Bool {
        var cursor = try snapshot.cursor(in: table)
        var isFound = try lastKey.isEmpty ? cursor.move(.first) : cursor.seek(lastKey.span.bytes)
        if isFound, cursor.key.withUnsafeBytes({ $0.elementsEqual(lastKey) }) { isFound = try cursor.move(.next) }
        let limit = count + Self.entriesPerStep
        var byteCount = 0
        while isFound, count < limit, byteCount < Self.bytesPerStep {
            do {
                let key = cursor.key
                if leavesOut(key) {
                    // It goes with the source.
                } else if let value = try replacement(key, try cursor.value) {
                    try transaction.put(value.span.bytes, for: key, in: copy, mode: .append)
                } else {
                    try transaction.put(cursor.value, for: key, in: copy, mode: .append)
                }
                count += 1
                byteCount += cursor.storedValue.byteCount
                lastKey.removeAll(keepingCapacity: true)
                key.withUnsafeBytes { lastKey.append(contentsOf: $0) }
            }
            isFound = try cursor.move(.next)
        }
        return isFound
    }

    /// Copies the next entries of an environment as it is now in a commit of another one.
    ///
    /// - Returns: Whether there are more.
    package mutating func step(
        of table: Table, in source: Environment, to copy: Table, in target: Environment,
        leavingOut leavesOut: (RawSpan) -> Bool = { _ in false },
        replacing replacement: (RawSpan, RawSpan) throws -> [UInt8]? = { _, _ in nil }
    ) throws -> Bool {
        let before = self
        // If the map is full, the body runs once more.
        let (after, hasMore) = try target.write { transaction in
            var after = before
            let snapshot = try source.beginRead()
            let hasMore = try after.step(
                of: table, in: snapshot, to: copy, in: transaction, leavingOut: leavesOut, replacing: replacement)
            return (after, hasMore)
        }
        self = after
        return hasMore
    }
}
