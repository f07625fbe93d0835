/// The rows of a projection while it folds an event: its own to change, and those of the projections that it reads.
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

    /// A row of the projection's own tables or of one that it reads; nil where there is none.
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
        after key: Key? = nil, limit: Int = 20
    ) throws -> Page<TableRow<Row, Key>, Key> {
        try failure.noting {
            let prefix = try table.bytes(beginning: repeat each prefix)
            return try lent.pointee.snapshot.storedRows(
                of: table, under: prefix, order: order, after: key, limit: limit)
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
