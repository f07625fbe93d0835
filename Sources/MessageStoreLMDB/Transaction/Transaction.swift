internal import MessageStoreCLMDB

/// The common part of read and write transactions: point reads and cursors.
package protocol Transaction: ~Copyable {
    var environment: Environment { get }
    var handle: OpaquePointer { get }
}

/// A snapshot of an environment; ends when the value is destroyed.
package struct ReadTransaction: ~Copyable, Transaction {
    package let environment: Environment
    package let handle: OpaquePointer
    /// The keeper of the snapshot, if it is kept for later reads.
    private let keeper: KeptSnapshot?

    init(environment: Environment, handle: OpaquePointer, keeper: KeptSnapshot? = nil) {
        self.environment = environment
        self.handle = handle
        self.keeper = keeper
    }

    /// The number of the last commit that the snapshot includes; later commits have greater numbers.
    package var commitNumber: UInt64 { UInt64(truncatingIfNeeded: mdb_txn_id(handle)) }

    deinit {
        if keeper == nil { environment.endRead(handle) } else { environment.gate.leave() }
    }
}

extension Transaction where Self: ~Copyable {
    /// The value of `key`, borrowed from the map, or nil.
    @_lifetime(borrow self)
    package borrowing func value(for key: RawSpan, in table: Table) throws(LMDBError) -> RawSpan? {
        var found = MDB_val()
        let code = key.withUnsafeBytes { bytes in
            var key = MDB_val(bytes)
            return mdb_get(handle, table.handle, &key, &found)
        }
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read from \(table.name)")
        return _overrideLifetime(found.span, borrowing: self)
    }

    /// A cursor before the first and after the last entry until it is moved.
    @_lifetime(borrow self)
    package borrowing func cursor(in table: Table) throws(LMDBError) -> Cursor {
        Cursor(try unboundCursor(in: table))
    }

    /// A cursor for use inside a type that is bound to the transaction itself.
    package borrowing func unboundCursor(in table: Table) throws(LMDBError) -> UnboundCursor {
        var opened: OpaquePointer?
        try environment.check(mdb_cursor_open(handle, table.handle, &opened), "open cursor on \(table.name)")
        guard let opened else {
            throw LMDBError(.invalid, operation: "open cursor on \(table.name)", path: environment.path)
        }
        return UnboundCursor(handle: opened, environment: environment, table: table.name)
    }

    /// Entries and pages of one table.
    package borrowing func statistics(of table: Table) throws(LMDBError) -> TableStatistics {
        var stat = MDB_stat()
        try environment.check(mdb_stat(handle, table.handle, &stat), "read statistics of \(table.name)")
        return TableStatistics(
            entries: stat.ms_entries,
            pages: stat.ms_branch_pages &+ stat.ms_leaf_pages &+ stat.ms_overflow_pages,
            pageSize: Int(stat.ms_psize)
        )
    }
}

/// Entries and pages of one table.
package struct TableStatistics: Sendable {
    package let entries: Int
    package let pages: Int
    package let pageSize: Int
    package var bytes: Int { pages &* pageSize }
}

extension MDB_val {
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    /// The bytes that LMDB answered with; the caller ties them to the transaction.
    var span: RawSpan {
        @_lifetime(immortal)
        get {
            _overrideLifetime(
                RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: mv_data, count: mv_size)),
                copying: ()
            )
        }
    }
}
