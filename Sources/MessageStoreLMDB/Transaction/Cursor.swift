internal import MessageStoreCLMDB

/// A place in a table, moved in key order; it cannot outlive its transaction.
package struct Cursor: ~Copyable, ~Escapable {
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

    private let handle: OpaquePointer
    private let path: String
    private let table: String
    private var currentKey = MDB_val()
    private var currentValue = MDB_val()

    @_lifetime(immortal)
    init(handle: OpaquePointer, path: String, table: String) {
        self.handle = handle
        self.path = path
        self.table = table
    }

    deinit {
        mdb_cursor_close(handle)
    }

    /// The key where the cursor stands; empty before the first move.
    package var key: RawSpan {
        @_lifetime(copy self)
        get { _overrideLifetime(currentKey.span, copying: self) }
    }

    /// The value where the cursor stands; empty before the first move.
    package var value: RawSpan {
        @_lifetime(copy self)
        get { _overrideLifetime(currentValue.span, copying: self) }
    }

    /// Moves one step; answers false, and stays, where there is no entry that way.
    @_lifetime(self: copy self)
    package mutating func move(_ step: Step) throws(LMDBError) -> Bool {
        try get(step.operation, key: MDB_val())
    }

    /// Moves to the first entry whose key is not less than `key`; false where there is none.
    @_lifetime(self: copy self)
    package mutating func seek(_ key: RawSpan) throws(LMDBError) -> Bool {
        guard key.byteCount > 0 else { return try move(.first) }
        let target = key.withUnsafeBytes { MDB_val($0) }
        return try get(MDB_SET_RANGE, key: target)
    }

    @_lifetime(self: copy self)
    private mutating func get(_ operation: MDB_cursor_op, key: MDB_val) throws(LMDBError) -> Bool {
        var key = key
        var value = MDB_val()
        let code = mdb_cursor_get(handle, &key, &value, operation)
        if code == MDB_NOTFOUND { return false }
        guard code == 0 else {
            throw LMDBError(.init(rawValue: code), operation: "move in \(table)", path: path)
        }
        currentKey = key
        currentValue = value
        return true
    }
}
