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
struct Table<Key: ViewKey, Row: ViewRow>: Sendable {
    let name: StaticString
    let viewTable: ViewTable

    /// - Parameters:
    ///   - name: The name in the views' environment.
    ///   - number: The place among the library's tables; never given to another table.
    ///   - traits: The rows' traits that the engine must know.
    @inline(__always) init(_ name: StaticString, _ number: UInt8, _ traits: TableTraits = []) {
        self.init(name, ViewTable(number, traits))
    }

    @inline(__always) init(_ name: StaticString, _ viewTable: ViewTable) {
        self.name = name
        self.viewTable = viewTable
    }

    /// Further rows of another one's table, which other keys have.
    @inline(__always) init(in other: Table<some ViewKey, some ViewRow>) { self.init(other.name, other.viewTable) }

    /// The table as its projection declares it, with what keys and rows are made of for each form of the key.
    var declaration: TableDeclaration {
        TableDeclaration(
            name: name.description, digestSeed: UInt64(viewTable.number),
            kinds: Key.forms.map { RowKind($0, Row.self) }, description: nil, traits: viewTable.traits)
    }
}

/// Traits of a table's rows that the engine must know, apart from their types.
struct TableTraits: OptionSet, Sendable {
    let rawValue: UInt16

    @inline(__always) init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Rows lie many to a value in the environment: for many small ones that come in order of their keys.
    @inline(__always) static var inChunks: TableTraits { TableTraits(rawValue: 1 << 0) }
    /// There is mostly no row, and a snapshot knows whether there is one (``ViewSnapshot/hasRows(_:)``).
    @inline(__always) static var rare: TableTraits { TableTraits(rawValue: 1 << 1) }
    /// The ``RowHistory`` notes changes, by the number of a conversation or user with which the key begins.
    @inline(__always) static var noted: TableTraits { TableTraits(rawValue: 1 << 2) }
    /// The ``RowHistory`` notes changes, by the eight bytes of the key.
    @inline(__always) static var notedByMessage: TableTraits { TableTraits(rawValue: 1 << 3) }
    /// The ``RowHistory`` remembers which conversations changed: a query for conversations may ask for what the rows say.
    @inline(__always) static var queried: TableTraits { [.noted, TableTraits(rawValue: 1 << 4)] }
    /// Rows are sums over conversations: numbers of eight bytes.
    @inline(__always) static var summed: TableTraits { TableTraits(rawValue: 1 << 5) }
    /// An event of the account changes rows of conversations, whose numbers the keys begin with.
    @inline(__always) static var changedByAccount: TableTraits { TableTraits(rawValue: 1 << 6) }
    /// Admission decides by the rows what is recorded.
    @inline(__always) static var ofKnownEvents: TableTraits { TableTraits(rawValue: 1 << 7) }
    /// Rows or keys hold words, names or ids, and are sealed in a sealed store.
    @inline(__always) static var sealed: TableTraits { TableTraits(rawValue: 1 << 8) }
}

/// Puts the keys and rows of one kind in words: of a table of the library by the types, of a host's by its description.
protocol RowWords: Sendable {
    /// The parts of a stored key; nil for bytes that are no such key.
    func keyTexts(_ key: RawSpan) -> [RowPartText]?
    /// The parts of a stored row; nil for bytes that are no such row.
    func rowTexts(_ row: RawSpan) -> [RowPartText]?
}

extension [any RowWords] {
    /// The kind of a stored key, with the parts of the key; nil for bytes that are no key of any.
    func texts(of key: RawSpan) -> (kind: any RowWords, key: [RowPartText])? {
        for kind in self {
            if let texts = kind.keyTexts(key) { return (kind, texts) }
        }
        return nil
    }
}

/// The parts of one kind of rows in a table of the library.
struct RowKind: RowWords {
    /// The parts of the key as the document of the format has them.
    let key: String
    let row: any ViewRow.Type
    private let keyType: any ViewKey.Type

    init<Key: ViewKey>(_ form: Key, _ row: any ViewRow.Type) {
        key = form.layout.description
        self.row = row
        keyType = Key.self
    }

    func keyTexts(_ key: RawSpan) -> [RowPartText]? { keyType.texts(of: key) }
    func rowTexts(_ row: RawSpan) -> [RowPartText]? { self.row.texts(of: row) }
    func isUnseen(at key: RawSpan) -> Bool { keyType.isUnseen(key) }
    var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { keyType.clearBytes }
}

extension ViewSnapshot {
    /// The row of a key, or nil.
    @inline(__always)
    borrowing func row<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key) throws -> Row? {
        try key.withBytes { try decoded(table.viewTable, $0) }
    }

    /// A cursor over the rows of a table, ascending from a key (inclusive).
    @_lifetime(borrow self)
    borrowing func rows<Row: ViewRow>(
        _ table: Table<some ViewKey, Row>, from key: some ViewKey
    ) throws -> RowCursor {
        let start = key.bytes
        return _overrideLifetime(try rows(table.viewTable, from: start.span.bytes), borrowing: self)
    }

    /// A cursor over the rows of a table, descending from below a key (exclusive).
    @_lifetime(borrow self)
    borrowing func rowsBackwards<Row: ViewRow>(
        _ table: Table<some ViewKey, Row>, before key: some ViewKey
    ) throws -> RowCursor {
        let end = key.bytes
        return _overrideLifetime(try rowsBackwards(table.viewTable, before: end.span.bytes), borrowing: self)
    }

    /// A cursor that begins at the last row of a conversation, in a table whose keys begin with its number. Whoever
    /// reads goes no further than the conversation's rows.
    @_lifetime(borrow self)
    borrowing func rowsBackwards<Row: ViewRow>(
        _ table: Table<some ViewKey, Row>, of conversation: ConversationNumber
    ) throws -> RowCursor {
        noteReading(table.viewTable, of: conversation)
        let end = conversation.end
        let cursor = try cursor(table.viewTable, ascending: false, bound: end.span.bytes)
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
        try forEachRow(table.viewTable, from: start?.bytes, under: prefix.bytes) { key, row throws in
            guard let read = Key(key: key) else { throw StoreError.unreadableRow(of: table.viewTable, at: key) }
            return try body(read, Row(row, of: table.viewTable, at: key))
        }
    }

    /// The walk that all types of keys and rows share.
    @inline(never)
    private borrowing func forEachRow(
        _ table: ViewTable, from start: [UInt8]?, under prefix: [UInt8], _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        if scope.keepsValues { reads.note(table, prefix.withUnsafeBytes { $0 }, bytes: 0) }
        let start = start ?? prefix
        var cursor = try cursor(table, ascending: true, bound: start.span.bytes)
        while try cursor.next(), cursor.key.removing(prefix) != nil, try body(cursor.key, cursor.value) {}
    }

    /// The rows whose keys begin with the bytes of another key, ascending; see ``forEachRow(_:from:under:_:)``.
    @inline(never)
    borrowing func allRows<Key: ViewKey, Row: ViewRow>(
        _ table: Table<Key, Row>, from start: Key? = nil, under prefix: some ViewKey = AnyBeginning()
    ) throws -> [(key: Key, row: Row)] {
        var rows: [(key: Key, row: Row)] = []
        try forEachRow(table, from: start, under: prefix) { key, row in
            rows.append((key, row))
            return true
        }
        return rows
    }
}

extension FoldRows {
    /// Sets the row of a key that was written elsewhere; spares keys with a place an array.
    @inline(__always)
    mutating func put<Row: ViewRow>(_ table: Table<some ViewKey, Row>, at key: RawSpan, _ row: Row) {
        put(table.viewTable, key, row)
    }

    /// Deletes the row of a key that was written elsewhere.
    @inline(__always)
    mutating func remove<Row: ViewRow>(_ table: Table<some ViewKey, Row>, at key: RawSpan) {
        remove(table.viewTable, key)
    }

    /// Sets the row of a key.
    @inline(__always)
    mutating func put<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key, _ row: Row) {
        key.withBytes { put(table.viewTable, $0, row) }
    }

    /// Deletes the row of a key, if there is one.
    @inline(__always)
    mutating func remove<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key) {
        key.withBytes { remove(table.viewTable, $0) }
    }

    /// Sets the row of a key, or deletes it.
    mutating func set<Key: ViewKey, Row: ViewRow>(_ table: Table<Key, Row>, _ key: Key, _ row: Row?) {
        if let row { put(table, key, row) } else { remove(table, key) }
    }

    /// Sets the row of a key that has nothing but the key, or deletes it.
    mutating func set<Key: ViewKey>(_ table: Table<Key, NoValue>, _ key: Key, isThere: Bool) {
        set(table, key, isThere ? NoValue() : nil)
    }
}

extension RowCursor {
    /// The current key.
    borrowing func key<Key: ViewKey, Row: ViewRow>(of table: Table<Key, Row>) throws -> Key {
        guard let decoded = Key(key: key) else { throw StoreError.unreadableRow(of: table.viewTable, at: key) }
        return decoded
    }

    /// The current row.
    borrowing func row<Key: ViewKey, Row: ViewRow>(of table: Table<Key, Row>) throws -> Row { try decoded() }
}

extension StoreError {
    /// A counter of a row that would leave its range.
    static func impossibleCount<Key: ViewKey, Row: ViewRow>(in table: Table<Key, Row>, at key: Key) -> StoreError {
        key.withBytes { impossibleCount(in: table.viewTable, at: $0) }
    }

    /// A row that cannot be read, or that names something missing.
    static func unreadableRow<Key: ViewKey, Row: ViewRow>(of table: Table<Key, Row>, at key: Key) -> StoreError {
        key.withBytes { unreadableRow(of: table.viewTable, at: $0) }
    }
}

/// The beginning of every key: nothing.
struct AnyBeginning: ViewKey {
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {}
}

/// A row that is nothing but its key.
struct NoValue: ViewRow {
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {}
}

/// A row that is a value of the host's, whatever it is.
struct HostValue: ViewRow {
    var value: [UInt8] = []

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("value", &value)
    }
}

/// The beginning of the keys of an index by id, in a table whose other keys are numbers of users or conversations: no
/// number.
enum IDIndex: UInt32, RowValue, ViewKey {
    typealias Stored = UInt32
    case index = 0xFFFF_FFFF

    init() { self = .index }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &self)
    }
}

/// The key of the one row about all users or conversations, in a table whose other keys are their numbers.
enum AllKey: UInt32, RowValue, ViewKey {
    typealias Stored = UInt32
    case all = 0

    init() { self = .all }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("all", &self)
    }
}
