@_spi(Storage) internal import MessageStoreLog

/// Rows of one kind in a table of the views: the table, and the types of its keys and rows.
///
/// Reading, writing, walking, showing and documenting the rows follow from the two types:
///
/// ```swift
/// static var marks: Table<MarkKey, MarkRow> { Table(.messageMarks) }
///
/// rows.put(Self.marks, MarkKey(conversation: conversation, mark: .pin, name: name), row)
/// let row = try snapshot.row(MessageMarks.marks, key)
/// ```
struct Table<Key: ViewKey, Row: ViewRow>: Sendable {
    let place: ViewTable

    @inline(__always) init(_ place: ViewTable) { self.place = place }

    /// What keys and rows are made of, once for each form of the key.
    var kinds: [RowKind] { Key.forms.map { RowKind($0, Row.self) } }
}

extension ViewSnapshot {
    /// The row of a key, or nil.
    borrowing func row<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key) throws -> Row? {
        try key.withBytes { try decoded(table.place, $0) }
    }

    /// A cursor over the rows of a table, ascending from a key (inclusive).
    @_lifetime(borrow self)
    borrowing func rows<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, from key: Key) throws -> RowCursor {
        let start = key.withBytes { $0.copied }
        let cursor = try rows(table.place, from: start.span.bytes)
        return _overrideLifetime(cursor, borrowing: self)
    }

    /// A cursor over the rows of a table, descending from below a key (exclusive).
    @_lifetime(borrow self)
    borrowing func rowsBackwards<Key: ViewKey, Row: ViewRow>(
        _ table: Table<Key, Row>, before key: Key
    ) throws -> RowCursor {
        let end = key.withBytes { $0.copied }
        let cursor = try rowsBackwards(table.place, before: end.span.bytes)
        return _overrideLifetime(cursor, borrowing: self)
    }
}

extension FoldRows {
    /// Sets the row of a key.
    mutating func put<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key, _ row: Row) {
        key.withBytes { put(table.place, $0, row) }
    }

    /// Deletes the row of a key, if there is one.
    mutating func remove<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key) {
        key.withBytes { remove(table.place, $0) }
    }

    /// Sets the row of a key, or deletes it.
    mutating func set<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key, _ row: Row?) {
        if let row { put(table, key, row) } else { remove(table, key) }
    }
}

extension RowCursor {
    /// The current key.
    borrowing func key<Key: ViewKey, Row: ViewRow>(of table: Table<Key, Row>) throws -> Key {
        guard let decoded = Key(key: key) else { throw StoreError.unreadableRow(of: table.place, at: key) }
        return decoded
    }

    /// The current row.
    borrowing func row<Key: ViewKey, Row: ViewRow>(of table: Table<Key, Row>) throws -> Row { try decoded() }
}
