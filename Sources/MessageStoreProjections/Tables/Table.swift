@_spi(Storage) internal import MessageStoreLog

/// Rows of one kind in a table of the views: the table's name and number, and the types of its keys and rows.
///
/// Reading, writing, walking, showing and documenting the rows follow from them:
///
/// ```swift
/// static var marks: Table<DetailKey<MarkPart>, MarkRow> { Table("messageDetails", 24) }
///
/// rows.put(Self.marks, DetailKey(MarkPart(mark: .pin), of: name, in: conversation), row)
/// let row = try snapshot.row(MessageDetails.marks, key)
/// ```
///
/// Two that have the same name and number are rows of one table, whose keys say which are which.
struct Table<Key: ViewKey, Row: ViewRow>: DescribedTable {
    let name: StaticString
    let place: ViewTable

    /// - Parameters:
    ///   - name: The name in the views' environment.
    ///   - number: The place among the library's tables; never given to another table.
    @inline(__always) init(_ name: StaticString, _ number: UInt8) {
        self.name = name
        place = ViewTable(rawValue: number)
    }

    /// What keys and rows are made of, once for each form of the key.
    var kinds: [RowKind] { Key.forms.map { RowKind($0, Row.self) } }
}

/// A table whatever its keys and rows are.
protocol DescribedTable: Sendable {
    var name: StaticString { get }
    var place: ViewTable { get }
    var kinds: [RowKind] { get }
}

/// What the rows of one kind in a table are made of.
struct RowKind: Sendable {
    /// The parts of the key as the document of the format has them.
    let key: String
    let row: any ViewRow.Type
    /// The parts of a stored key; nil for bytes that are no such key.
    let keyTexts: @Sendable (RawSpan) -> [RowPartText]?

    init<Key: ViewKey>(_ form: Key, _ row: any ViewRow.Type) {
        key = form.layout.description
        self.row = row
        keyTexts = { Key.texts(of: $0) }
    }
}

extension ViewSnapshot {
    /// The row of a key, or nil.
    @inline(__always)
    borrowing func row<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key) throws -> Row? {
        try key.withBytes { try decoded(table.place, $0) }
    }

    /// A cursor over the rows of a table, ascending from a key (inclusive).
    @_lifetime(borrow self)
    borrowing func rows<Row: ViewRow>(
        _ table: Table<some ViewKey, Row>, from key: some ViewKey
    ) throws -> RowCursor {
        let start = key.bytes
        return _overrideLifetime(try rows(table.place, from: start.span.bytes), borrowing: self)
    }

    /// A cursor over the rows of a table, descending from below a key (exclusive).
    @_lifetime(borrow self)
    borrowing func rowsBackwards<Row: ViewRow>(
        _ table: Table<some ViewKey, Row>, before key: some ViewKey
    ) throws -> RowCursor {
        let end = key.bytes
        return _overrideLifetime(try rowsBackwards(table.place, before: end.span.bytes), borrowing: self)
    }

    /// A cursor that begins at the first row of a conversation, in a table whose keys begin with its number. Whoever
    /// reads goes no further than the conversation's rows.
    @_lifetime(borrow self)
    borrowing func rows<Row: ViewRow>(
        _ table: Table<some ViewKey, Row>, of conversation: ConversationNumber
    ) throws -> RowCursor {
        noteReading(table.place, of: conversation)
        let start = conversation.bytes
        let cursor = try cursor(table.place, ascending: true, bound: start.span.bytes)
        return _overrideLifetime(cursor, borrowing: self)
    }

    /// The same from the conversation's last row backwards.
    @_lifetime(borrow self)
    borrowing func rowsBackwards<Row: ViewRow>(
        _ table: Table<some ViewKey, Row>, of conversation: ConversationNumber
    ) throws -> RowCursor {
        noteReading(table.place, of: conversation)
        let end = conversation.end
        let cursor = try cursor(table.place, ascending: false, bound: end.span.bytes)
        return _overrideLifetime(cursor, borrowing: self)
    }

    /// Calls `body` with the rows whose keys begin with the bytes of another key, ascending, until it returns false.
    ///
    /// - Parameters:
    ///   - start: The lowest key, which has the prefix; nil for the first.
    ///   - prefix: Of any type whose parts are the first ones of the table's keys; without one, all rows.
    borrowing func forEachRow<Key: ViewKey, Row: ViewRow>(
        _ table: Table<Key, Row>, from start: Key? = nil, under prefix: some ViewKey = AnyBeginning(),
        _ body: (Key, Row) throws -> Bool
    ) throws {
        let prefix = prefix.bytes
        let start = start?.bytes ?? prefix
        var cursor = try rows(table.place, from: start.span.bytes)
        while try cursor.next(), cursor.key.removing(prefix) != nil {
            guard try body(cursor.key(of: table), cursor.row(of: table)) else { return }
        }
    }
}

extension FoldRows {
    /// Sets the row of a key that was written elsewhere; spares keys with a place an array.
    @inline(__always)
    mutating func put<Row: ViewRow>(_ table: Table<some ViewKey, Row>, at key: RawSpan, _ row: Row) {
        put(table.place, key, row)
    }

    /// Deletes the row of a key that was written elsewhere.
    @inline(__always)
    mutating func remove<Row: ViewRow>(_ table: Table<some ViewKey, Row>, at key: RawSpan) {
        remove(table.place, key)
    }

    /// Sets the row of a key.
    @inline(__always)
    mutating func put<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key, _ row: Row) {
        key.withBytes { put(table.place, $0, row) }
    }

    /// Deletes the row of a key, if there is one.
    @inline(__always)
    mutating func remove<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key) {
        key.withBytes { remove(table.place, $0) }
    }

    /// Sets the row of a key, or deletes it.
    mutating func set<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key, _ row: Row?) {
        if let row { put(table, key, row) } else { remove(table, key) }
    }
}

extension FoldRows {
    /// Sets the row of a key that has nothing but the key, or deletes it.
    mutating func set<Key: ViewKey>(_ table: Table<Key, NoValue>, _ key: Key, isThere: Bool) {
        set(table, key, isThere ? NoValue() : nil)
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

extension StoreError {
    /// A counter of a row that would leave its range.
    static func impossibleCount<Key: ViewKey, Row: ViewRow>(in table: Table<Key, Row>, at key: Key) -> StoreError {
        key.withBytes { impossibleCount(in: table.place, at: $0) }
    }

    /// A row that cannot be read, or that names what is not there.
    static func unreadableRow<Key: ViewKey, Row: ViewRow>(of table: Table<Key, Row>, at key: Key) -> StoreError {
        key.withBytes { unreadableRow(of: table.place, at: $0) }
    }
}

/// What every key begins with: nothing.
struct AnyBeginning: ViewKey {
    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {}
}

/// A row that is nothing but its key.
struct NoValue: ViewRow {
    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {}
}

/// A row that is a value of the host's, whatever it is.
struct HostValue: ViewRow {
    var value: [UInt8] = []

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("value", &value)
    }
}
