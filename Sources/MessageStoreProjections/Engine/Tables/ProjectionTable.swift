/// A table of a host's projection: rows in the order of their keys.
///
/// ```swift
/// static let polls = ProjectionTable<Poll, Position>(id, "polls", key: "poll")
/// static let votes = ProjectionTable<Vote, (ConversationKey, UserID)>(id, "votes", key: "conversation", "user")
/// ```
///
/// Rows are groups of numbered fields, as payloads of events are; a key is a value, or a tuple of values, that rows can
/// hold. Users and conversations are stored in full in both.
public struct ProjectionTable<Row: FieldGroup, Key: Sendable>: Sendable {
    /// The projection that owns the table.
    public let projection: ProjectionID
    /// The name within the projection.
    public let name: String
    let columns: [KeyColumn]
    /// The parts of a key as fields, numbered from 1.
    private let fields: @Sendable (Key) throws -> [UInt8]
    private let key: @Sendable ([UInt8]) throws -> Key

    /// Declares a table.
    ///
    /// - Parameters:
    ///   - projection: The projection that owns it.
    ///   - name: 1 to 64 letters, digits, dots and hyphens; unique within the projection.
    ///   - key: The names of the key's parts, 1 to 8, most significant first. Parts are conversations, users, strings,
    ///     ids, unsigned numbers, positions and times. A key may have any length; one of more than 500 bytes takes its row
    ///     together with those whose first 500 bytes are the same.
    ///   - row: The parts of rows.
    public init<each Part: FieldValue>(
        _ projection: ProjectionID, _ name: String, key: String..., row: Row.Type = Row.self
    ) where Key == (repeat each Part) {
        self.projection = projection
        self.name = name
        var kinds: [KeyColumn.Kind?] = []
        for part in repeat (each Part).self { kinds.append(KeyColumn.Kind(part)) }
        columns = (0..<max(kinds.count, key.count)).map { index in
            KeyColumn(index < key.count ? key[index] : "", index < kinds.count ? kinds[index] : nil)
        }
        let table = "\(projection)/\(name)"
        fields = { try FieldRow.fields(of: repeat each $0, named: table) }
        self.key = { try FieldRow.values(in: $0) }
    }

    /// The name in the views' environment.
    var fullName: String { "\(projection)/\(name)" }

    var declaration: TableDeclaration {
        TableDeclaration(
            name: fullName, digestSeed: XXH64.hash(fullName),
            description: TableDescription(name: fullName, key: columns, fields: FieldRow.descriptions(of: Row.self)))
    }

    /// The cursor after which rows follow a key, in the order of a query, whether a row has that key or not.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a value cannot be stored.
    public func cursor(after key: Key) throws -> PageCursor { PageCursor(.row, try bytes(key)) }

    /// The bytes of a key.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a value cannot be stored.
    func bytes(_ key: Key) throws -> [UInt8] { try columns.bytes(try fields(key)) }

    /// The bytes with which all keys begin that have these first parts.
    func bytes<each Part: FieldValue>(beginning parts: repeat each Part) throws -> [UInt8] {
        var kinds: [KeyColumn.Kind?] = []
        for part in repeat (each Part).self { kinds.append(KeyColumn.Kind(part)) }
        guard kinds == columns.prefix(kinds.count).map(\.kind) else {
            let expected = columns.map { "\($0.name) \($0.kind?.fieldType.description ?? "")" }.joined(separator: ", ")
            throw StoreError(.invalidArgument, "keys of the table \(fullName) are \(expected)")
        }
        return try columns.bytes(try FieldRow.fields(of: repeat each parts, named: fullName))
    }

    /// The row at which a cursor is.
    // Not inlined, as `DescribedRow.init`.
    @inline(never)
    func row(at cursor: borrowing RowCursor) throws -> TableRow<Row, Key> { try row(cursor.value, at: cursor.key) }

    /// A row with its whole key.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged` where one of them cannot be read.
    func row(_ row: RawSpan, at key: RawSpan) throws -> TableRow<Row, Key> {
        guard let fields = columns.fields(of: key), let key = try? self.key(fields),
            let row: Row = try FieldRow.decoded(row)
        else {
            throw StoreError(
                .viewsDamaged, "the row \(key.hexadecimal) of the table \(fullName) cannot be read; rebuild the views")
        }
        return TableRow(key: key, value: row, fields: fields)
    }
}

/// A row of a host's table with its key.
public struct TableRow<Row: FieldGroup, Key: Sendable>: Hashable, Sendable {
    /// The key: a value, or a tuple of the values of its parts.
    public let key: Key
    /// The row.
    public let value: Row
    /// The key's values as fields; tuples cannot be compared.
    let fields: [UInt8]

    /// Compares keys and rows.
    public static func == (first: TableRow, second: TableRow) -> Bool {
        first.fields == second.fields && first.value == second.value
    }

    /// Hashes key and row.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
        hasher.combine(value)
    }
}

/// The rows of a projection while it folds an event: its own to change, and the rows of projections that it reads.
///
/// They are valid only during `apply`.
public struct ProjectionRows: ~Copyable {
    private let lent: UnsafeMutablePointer<FoldRows>
    private let declaration: ProjectionDeclaration
    private let failure: StorageFailure
    /// The rows before this event changed them, in the order of the changes.
    private(set) var undo: [(table: ViewTable, key: [UInt8], row: [UInt8]?)] = []

    /// - Parameter rows: Outlives the value.
    init(_ rows: UnsafeMutablePointer<FoldRows>, _ declaration: ProjectionDeclaration, _ failure: StorageFailure) {
        lent = rows
        self.declaration = declaration
        self.failure = failure
    }

    /// Sets a row of one of the projection's own tables.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where table, key or row break a rule.
    public mutating func put<Row, Key>(_ row: Row, in table: ProjectionTable<Row, Key>, at key: Key) throws {
        let failure = failure
        try failure.noting {
            try set(FieldRow.bytes(of: row, named: table.fullName), in: own(table), at: StoredKey(table.bytes(key)))
        }
    }

    /// Deletes a row of one of the projection's own tables, if it is there.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where table or key break a rule.
    public mutating func remove<Row, Key>(from table: ProjectionTable<Row, Key>, at key: Key) throws {
        let failure = failure
        try failure.noting {
            try set(nil, in: own(table), at: StoredKey(table.bytes(key)))
        }
    }

    private mutating func set(_ row: [UInt8]?, in table: ViewTable, at key: StoredKey) throws {
        let before = try lent.pointee.snapshot.bytes(table, key.bytes)
        guard row != nil || before != nil else { return }
        let after = try key.stored(row, over: before)
        undo.append((table, key.bytes, before))
        set(table, key.bytes, after)
    }

    private func set(_ table: ViewTable, _ key: [UInt8], _ stored: [UInt8]?) {
        if let stored {
            lent.pointee.put(table, key.span.bytes, stored.span.bytes)
        } else {
            lent.pointee.remove(table, key.span.bytes)
        }
    }

    /// A row of the projection's own tables or of one that it reads; nil if there is none.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where table or key break a rule.
    public borrowing func row<Row, Key>(of table: ProjectionTable<Row, Key>, at key: Key) throws -> Row? {
        try failure.noting { try lent.pointee.snapshot.storedRow(of: table, at: key) }
    }

    /// Rows of the projection's own tables or of one that it reads; see ``Views/rows(of:where:order:after:limit:)``.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` for a limit out of range, and where table or key break a rule.
    public borrowing func rows<Row, Key, each Prefix: FieldValue>(
        of table: ProjectionTable<Row, Key>, where prefix: repeat each Prefix, order: ReadOrder = .ascending,
        after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<TableRow<Row, Key>> {
        try failure.noting {
            let prefix = try table.bytes(beginning: repeat each prefix)
            return try lent.pointee.snapshot.storedRows(
                of: table, under: prefix, order: order, after: cursor, limit: limit)
        }
    }

    /// Answers from the views at the position of the event.
    ///
    /// Queries see the rows of projections that this one declares to read, and no contents of messages, which a
    /// redaction may remove. One that needs another projection throws an error that names it.
    ///
    /// - Parameter query: Runs the queries; must not call back into the store.
    /// - Throws: `StoreError` with code `invalidArgument` where a projection is not declared; or what `query` throws.
    public borrowing func read<Result>(_ query: (borrowing Views) throws -> Result) throws -> Result {
        try failure.noting { try query(lent.pointee.views) }
    }

    /// Says why the event changes nothing, or changes other rows than it seems to, to whoever replays the log.
    ///
    /// `ReplaySession.reports(at:)` returns the words, and `messagestore diff` and the debugging page show them with the
    /// event, so they must not contain what people wrote. Elsewhere nobody asks for them, and the call costs nothing.
    ///
    /// ```swift
    /// guard vote.time >= known.time else { return rows.report("the vote of \(known.position) is later") }
    /// ```
    public borrowing func report(_ words: @autoclosure () -> String) {
        guard let reports = lent.pointee.reports else { return }
        reports.add(.said(words()), by: declaration.id, at: lent.pointee.position)
    }

    private func own<Row, Key>(_ table: ProjectionTable<Row, Key>) throws -> ViewTable {
        guard table.projection == declaration.id else {
            throw StoreError(.invalidArgument, "the projection \(declaration.id) has no table \(table.fullName)")
        }
        return try lent.pointee.snapshot.registered(table)
    }

    /// Puts the rows back that the event changed.
    mutating func undoChanges() {
        for change in undo.reversed() { set(change.table, change.key, change.row) }
        undo.removeAll()
    }
}
