internal import MessageStoreCLMDB

/// A cursor for writing keys in ascending order: a key on the page where it is costs no descent from the root.
package struct WriteCursor: ~Copyable, ~Escapable {
    private let handle: OpaquePointer
    private let environment: Environment
    private let table: String

    @_lifetime(immortal)
    fileprivate init(handle: OpaquePointer, environment: Environment, table: String) {
        self.handle = handle
        self.environment = environment
        self.table = table
    }

    deinit {
        mdb_cursor_close(handle)
    }

    /// The value of `key`, or nil; valid until the next write of the transaction.
    @_lifetime(borrow self)
    package borrowing func value(for key: RawSpan) throws(LMDBError) -> RawSpan? {
        var found = MDB_val()
        let code = key.withUnsafeBytes { bytes in
            var key = MDB_val(bytes)
            return mdb_cursor_get(handle, &key, &found, MDB_SET_KEY)
        }
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read from \(table)")
        return _overrideLifetime(found.span, borrowing: self)
    }

    /// Sets the value of `key`; with the mode `append`, the key must be above all of the table.
    package borrowing func put(
        _ value: RawSpan, for key: RawSpan, mode: WriteTransaction.PutMode = .upsert
    ) throws(LMDBError) {
        let code = key.withUnsafeBytes { keyBytes in
            value.withUnsafeBytes { valueBytes in
                var key = MDB_val(keyBytes)
                var value = MDB_val(valueBytes)
                return mdb_cursor_put(handle, &key, &value, mode.flags)
            }
        }
        try environment.check(code, "write to \(table)")
    }
}

extension WriteTransaction {
    /// A cursor for writing; it ends before the transaction does.
    @_lifetime(borrow self)
    package borrowing func writeCursor(in table: Table) throws(LMDBError) -> WriteCursor {
        var opened: OpaquePointer?
        try environment.check(mdb_cursor_open(handle, table.handle, &opened), "open cursor on \(table.name)")
        guard let opened else {
            throw LMDBError(.invalid, operation: "open cursor on \(table.name)", path: environment.path)
        }
        return WriteCursor(handle: opened, environment: environment, table: table.name)
    }
}
