internal import MessageStoreCLMDB

/// The common part of read and write transactions: point reads and cursors.
package protocol Transaction: ~Copyable {
    var environment: Environment { get }
    var handle: OpaquePointer { get }
    /// Opens sealed values; nil if the environment has no key.
    var opener: ValueOpener? { get }
}

/// A snapshot of an environment; ends when the value is destroyed.
package struct ReadTransaction: ~Copyable, Transaction {
    package let environment: Environment
    package let handle: OpaquePointer
    package let opener: ValueOpener?
    /// The keeper of the snapshot, if it is kept for later reads.
    private let keeper: KeptSnapshot?

    init(environment: Environment, handle: OpaquePointer, keeper: KeptSnapshot? = nil) {
        self.environment = environment
        self.handle = handle
        opener = ValueOpener(environment, handle)
        self.keeper = keeper
    }

    /// The number of the last commit that the snapshot includes; later commits have greater numbers.
    package var commitNumber: UInt64 { UInt64(truncatingIfNeeded: mdb_txn_id(handle)) }

    deinit {
        if keeper == nil { environment.endRead(handle) } else { environment.gate.leave() }
    }
}

extension Transaction where Self: ~Copyable {
    /// The value of `key`, borrowed from the map, or nil. A sealed one is opened into the transaction's memory.
    @_lifetime(borrow self)
    package borrowing func value(for key: RawSpan, in table: Table) throws(LMDBError) -> RawSpan? {
        if let seal = table.seal, let opener {
            let opened = try seal.value(of: key.withUnsafeBytes { $0 }, in: table, by: opener) {
                mdb_get(handle, table.handle, $0, $1)
            }
            guard let opened else { return nil }
            return _overrideLifetime(RawSpan(_unsafeBytes: opened), borrowing: self)
        }
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
        UnboundCursor(handle: try openCursor(in: table), environment: environment, table: table, opener: opener)
    }

    /// A cursor of LMDB's, which the caller closes.
    borrowing func openCursor(in table: Table) throws(LMDBError) -> OpaquePointer {
        var cursor: OpaquePointer?
        let code = mdb_cursor_open(handle, table.handle, &cursor)
        return try environment.opened(cursor, code, "open cursor on \(table.name)")
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
        get { _overrideLifetime(RawSpan(_unsafeBytes: bytes), copying: ()) }
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

/// The environment's one write transaction, lent to the body of ``Environment/write(_:)``.
package struct WriteTransaction: ~Copyable, Transaction {
    package let environment: Environment
    package let handle: OpaquePointer
    package let opener: ValueOpener?
    /// Seals values; nil if the environment has no key.
    let opening: SealOpening?

    init(environment: Environment, handle: OpaquePointer, opener: ValueOpener? = nil, opening: SealOpening? = nil) {
        self.environment = environment
        self.handle = handle
        self.opener = opener
        self.opening = opening
    }

    /// The same transaction once more, for a value that is lent while it lasts.
    package init(_ other: borrowing WriteTransaction) {
        self.init(
            environment: other.environment, handle: other.handle, opener: other.opener, opening: other.opening)
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
        if let seal = table.seal {
            let mode = seal.hidesKeys && mode == .append ? .upsert : mode
            return try seal.seal(value.withUnsafeBytes { $0 }, for: key.withUnsafeBytes { $0 }, by: opening) {
                key, byteCount throws(LMDBError) in
                var key = MDB_val(key)
                var reserved = MDB_val(mv_size: byteCount, mv_data: nil)
                let code = mdb_put(handle, table.handle, &key, &reserved, mode.flags | UInt32(MDB_RESERVE))
                try environment.check(code, "write to \(table.name)")
                return reserved.mv_data
            }
        }
        let code = key.withUnsafeBytes { keyBytes in
            value.withUnsafeBytes { valueBytes in
                var key = MDB_val(keyBytes)
                var value = MDB_val(valueBytes)
                return mdb_put(handle, table.handle, &key, &value, mode.flags)
            }
        }
        try environment.check(code, "write to \(table.name)")
    }

    /// Puts the value of a number, which is a key that sorts as the number does.
    package borrowing func put(_ value: RawSpan, for number: UInt64, in table: Table, mode: PutMode = .upsert) throws {
        try withUnsafeBytes(of: number.bigEndian) {
            try put(value, for: RawSpan(_unsafeBytes: $0), in: table, mode: mode)
        }
    }

    /// Removes `key`; answers whether it was there.
    @discardableResult
    package borrowing func remove(_ key: RawSpan, in table: Table) throws(LMDBError) -> Bool {
        func remove(_ stored: UnsafeRawBufferPointer) -> Int32 {
            var key = MDB_val(stored)
            return mdb_del(handle, table.handle, &key, nil)
        }
        let code = key.withUnsafeBytes { key in
            table.seal?.hidden(key).map { $0.stored.withUnsafeBytes(remove) } ?? remove(key)
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

/// A snapshot of an environment that is read again and again, on any thread, but on one at a time.
///
/// As long as there is one, the pages that it sees are not used again and the environment's map stays as it is: a write
/// that needs a larger one throws `mapFull`.
package final class KeptSnapshot: @unchecked Sendable {  // LMDB's handle is used by one thread at a time.
    private let environment: Environment
    private let handle: OpaquePointer
    private let generation: Int

    /// Keeps the environment's last commit.
    package init(of environment: Environment) throws(LMDBError) {
        self.environment = environment
        (handle, generation) = try environment.gate.entered { () throws(LMDBError) in
            let handle = try environment.beginReader()
            environment.keptSnapshots.withLock { $0 += 1 }
            return (handle, environment.generation)
        }
    }

    deinit {
        environment.gate.entered {
            // A handle of LMDB that was given up took its transactions with it.
            if environment.generation == generation { mdb_txn_abort(handle) }
            environment.keptSnapshots.withLock { $0 -= 1 }
        }
    }

    /// Begins a read of the snapshot; reads of other threads must have ended.
    @available(*, noasync)
    package func read() throws(LMDBError) -> ReadTransaction {
        environment.gate.enter()
        guard environment.generation == generation else {
            environment.gate.leave()
            throw LMDBError(
                .panic, operation: "read a kept snapshot", path: environment.path,
                detail: "LMDB's handle was opened anew")
        }
        return ReadTransaction(environment: environment, handle: handle, keeper: self)
    }
}
