internal import MessageStoreCLMDB

/// A place in a table, moved in key order; it cannot outlive its transaction.
package struct Cursor: ~Copyable, ~Escapable {
    private var unbound: UnboundCursor

    @_lifetime(immortal)
    init(_ unbound: consuming UnboundCursor) {
        self.unbound = unbound
    }

    /// The key where the cursor is; empty before the first move.
    package var key: RawSpan {
        @_lifetime(borrow self)
        get { _overrideLifetime(RawSpan(_unsafeBytes: unbound.key), borrowing: self) }
    }

    /// The value where the cursor is, until it is moved; empty before the first move. A sealed one is opened into the
    /// cursor's memory.
    package var value: RawSpan {
        @_lifetime(borrow self)
        get throws(LMDBError) { _overrideLifetime(RawSpan(_unsafeBytes: try unbound.openValue), borrowing: self) }
    }

    /// The value where the cursor is, with the checksum of the stored bytes in the place of its own; see ``value``. For
    /// readers that look at no checksum; until the next move ``value`` has it, too.
    package var valueOfStoredChecksum: RawSpan {
        @_lifetime(borrow self)
        get throws(LMDBError) {
            _overrideLifetime(RawSpan(_unsafeBytes: try unbound.openValue(renewsChecksum: false)), borrowing: self)
        }
    }

    /// The value where the cursor is, as it is stored.
    package var storedValue: RawSpan {
        @_lifetime(borrow self)
        get { _overrideLifetime(RawSpan(_unsafeBytes: unbound.value), borrowing: self) }
    }

    /// Moves one step; answers false, and stays, where there is no entry that way.
    package mutating func move(_ step: UnboundCursor.Step) throws(LMDBError) -> Bool {
        try unbound.move(step)
    }

    /// Moves to the first entry whose key is not less than `key`; false if there is none.
    package mutating func seek(_ key: RawSpan) throws(LMDBError) -> Bool {
        try unbound.seek(key.withUnsafeBytes { $0 })
    }

    /// Moves to the last entry whose key is not greater than `key`; false if there is none.
    package mutating func seek(atOrBelow key: RawSpan) throws(LMDBError) -> Bool {
        try unbound.seek(atOrBelow: key.withUnsafeBytes { $0 })
    }
}

/// A cursor that the compiler does not bind to its transaction.
///
/// Only for use inside a type that is bound itself; everything else takes a ``Cursor``.
package struct UnboundCursor: ~Copyable {
    /// A step of a cursor.
    package enum Step: Sendable {
        /// To the next entry, or the first when the cursor is unset.
        case next
        /// To the previous entry, or the last when the cursor is unset.
        case previous
        case first
        case last

        var operation: MDB_cursor_op {
            switch self {
            case .next: MDB_NEXT
            case .previous: MDB_PREV
            case .first: MDB_FIRST
            case .last: MDB_LAST
            }
        }
    }

    /// nil in an empty cursor, which has no entries.
    private let handle: OpaquePointer?
    private let environment: Environment?
    private let table: Table?
    /// nil in a table whose values are clear.
    private let opened: OpenedValue?
    /// Key and value where the cursor is, as they are stored, in the map; empty before the first move.
    package private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    package private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    init(handle: OpaquePointer, environment: Environment, table: Table, opener: ValueOpener?) {
        (self.handle, self.environment, self.table) = (handle, environment, table)
        opened = opener.flatMap { OpenedValue(handle, table, $0) }
    }

    /// A cursor over nothing.
    package init() {
        (handle, environment, table, opened) = (nil, nil, nil, nil)
    }

    /// The value where the cursor is, open, until the next move.
    package var openValue: UnsafeRawBufferPointer {
        get throws(LMDBError) { try openValue(renewsChecksum: true) }
    }

    fileprivate func openValue(renewsChecksum: Bool) throws(LMDBError) -> UnsafeRawBufferPointer {
        // As in `move(_:)`.
        guard opened != nil, !key.isEmpty, let opened else { return value }
        return try opened.open(value, of: key, renewsChecksum: renewsChecksum)
    }

    deinit {
        if let handle { mdb_cursor_close(handle) }
    }

    package mutating func move(_ step: Step) throws(LMDBError) -> Bool {
        // Mostly nothing is sealed: looking into the object would count references.
        if opened != nil, let rows = opened?.rows { return take(rows, try rows.move(step)) }
        return try get(step.operation, key: MDB_val())
    }

    private mutating func take(_ rows: HiddenRows, _ isFound: Bool) -> Bool {
        guard isFound else { return false }
        (key, value) = (rows.key, rows.storedValue)
        opened?.value = nil
        return true
    }

    /// Moves to the first entry whose key is not less than `key`; the first of all where `key` is empty.
    package mutating func seek(_ key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
        guard !key.isEmpty else { return try move(.first) }
        if opened != nil, let rows = opened?.rows { return take(rows, try rows.seek(key)) }
        return try get(MDB_SET_RANGE, key: MDB_val(key))
    }

    /// Moves to the last entry whose key is not greater than `key`; false if there is none.
    package mutating func seek(atOrBelow key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
        guard try seek(key) else { return try move(.last) }
        // LMDB has answered a key that is not less.
        return self.key.count == key.count && areEqual(self.key, key) ? true : try move(.previous)
    }

    private func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        guard let first = first.baseAddress, let second = second.baseAddress else { return true }
        return memcmp(first, second, key.count) == 0
    }

    // A call of its own would cost a scan 20 instructions a record.
    @inline(__always)
    private mutating func get(_ operation: MDB_cursor_op, key: MDB_val) throws(LMDBError) -> Bool {
        guard let handle else { return false }
        var key = key
        var value = MDB_val()
        let code = mdb_cursor_get(handle, &key, &value, operation)
        if code == MDB_NOTFOUND { return false }
        try environment?.check(code, "move in \(table?.name ?? "")")
        self.key = key.bytes
        self.value = value.bytes
        opened?.value = nil
        return true
    }
}

/// A cursor for writing keys in ascending order: a key on the page where it is costs no descent from the root.
package struct WriteCursor: ~Copyable, ~Escapable {
    private let handle: OpaquePointer
    private let environment: Environment
    private let table: Table
    private let opener: ValueOpener?
    private let opening: SealOpening?

    @_lifetime(immortal)
    fileprivate init(handle: OpaquePointer, _ transaction: borrowing WriteTransaction, table: Table) {
        (self.handle, self.table) = (handle, table)
        (environment, opener, opening) = (transaction.environment, transaction.opener, transaction.opening)
    }

    deinit {
        mdb_cursor_close(handle)
    }

    /// The value of `key`, or nil; valid until the next write of the transaction.
    @_lifetime(borrow self)
    package borrowing func value(for key: RawSpan) throws(LMDBError) -> RawSpan? {
        if let seal = table.seal, let opener {
            let opened = try seal.value(of: key.withUnsafeBytes { $0 }, in: table, by: opener) {
                mdb_cursor_get(handle, $0, $1, MDB_SET_KEY)
            }
            guard let opened else { return nil }
            return _overrideLifetime(RawSpan(_unsafeBytes: opened), borrowing: self)
        }
        var found = MDB_val()
        let code = key.withUnsafeBytes { bytes in
            var key = MDB_val(bytes)
            return mdb_cursor_get(handle, &key, &found, MDB_SET_KEY)
        }
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read from \(table.name)")
        return _overrideLifetime(found.span, borrowing: self)
    }

    /// Sets the value of `key`; with the mode `append`, the key must be above all of the table.
    package borrowing func put(
        _ value: RawSpan, for key: RawSpan, mode: WriteTransaction.PutMode = .upsert
    ) throws(LMDBError) {
        if let seal = table.seal {
            let mode = seal.hidesKeys && mode == .append ? .upsert : mode
            return try seal.seal(value.withUnsafeBytes { $0 }, for: key.withUnsafeBytes { $0 }, by: opening) {
                key, byteCount throws(LMDBError) in
                var key = MDB_val(key)
                var reserved = MDB_val(mv_size: byteCount, mv_data: nil)
                let code = mdb_cursor_put(handle, &key, &reserved, mode.flags | UInt32(MDB_RESERVE))
                try environment.check(code, "write to \(table.name)")
                return reserved.mv_data
            }
        }
        let code = key.withUnsafeBytes { keyBytes in
            value.withUnsafeBytes { valueBytes in
                var key = MDB_val(keyBytes)
                var value = MDB_val(valueBytes)
                return mdb_cursor_put(handle, &key, &value, mode.flags)
            }
        }
        try environment.check(code, "write to \(table.name)")
    }
}

extension WriteTransaction {
    /// A cursor for writing; it ends before the transaction does.
    @_lifetime(borrow self)
    package borrowing func writeCursor(in table: Table) throws(LMDBError) -> WriteCursor {
        WriteCursor(handle: try openCursor(in: table), self, table: table)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes sort before others: byte by byte, and the shorter first.
    func isLess(than other: UnsafeRawBufferPointer) -> Bool {
        let shared = Swift.min(count, other.count)
        guard shared > 0, let start = baseAddress, let otherStart = other.baseAddress else {
            return count < other.count
        }
        let order = memcmp(start, otherStart, shared)
        return order == 0 ? count < other.count : order < 0
    }
}
