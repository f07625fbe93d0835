internal import MessageStoreCLMDB

/// The environment's one write transaction, lent to the body of ``Environment/write(_:)``.
package struct WriteTransaction: ~Copyable, Transaction {
    package let environment: Environment
    package let handle: OpaquePointer

    init(environment: Environment, handle: OpaquePointer) {
        self.environment = environment
        self.handle = handle
    }

    /// The same transaction once more, for a value that is lent while it lasts.
    package init(_ other: borrowing WriteTransaction) {
        self.init(environment: other.environment, handle: other.handle)
    }

    /// How ``put(_:for:in:mode:)`` treats the key's place.
    package enum PutMode: Sendable {
        /// Replaces what is there.
        case upsert
        /// Throws `keyExists` where the key is taken.
        case insert
        /// Promises that the key is greater than all others; throws `keyExists` otherwise.
        case append

        var flags: UInt32 {
            switch self {
            case .upsert: 0
            case .insert: UInt32(MDB_NOOVERWRITE)
            case .append: UInt32(MDB_APPEND)
            }
        }
    }

    package borrowing func put(_ value: RawSpan, for key: RawSpan, in table: Table, mode: PutMode = .upsert)
        throws(LMDBError)
    {
        let code = key.withUnsafeBytes { keyBytes in
            value.withUnsafeBytes { valueBytes in
                var key = MDB_val(keyBytes)
                var value = MDB_val(valueBytes)
                return mdb_put(handle, table.handle, &key, &value, mode.flags)
            }
        }
        try environment.check(code, "write to \(table.name)")
    }

    /// Removes `key`; answers whether it was there.
    @discardableResult
    package borrowing func remove(_ key: RawSpan, in table: Table) throws(LMDBError) -> Bool {
        let code = key.withUnsafeBytes { bytes in
            var key = MDB_val(bytes)
            return mdb_del(handle, table.handle, &key, nil)
        }
        if code == MDB_NOTFOUND { return false }
        try environment.check(code, "remove from \(table.name)")
        return true
    }

    /// Removes every entry of `table`.
    package borrowing func removeAll(in table: Table) throws(LMDBError) {
        try environment.check(mdb_drop(handle, table.handle, 0), "empty \(table.name)")
    }
}
