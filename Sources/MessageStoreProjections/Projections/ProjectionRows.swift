@_spi(Storage) public import MessageStoreLog

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
            let target = try own(table)
            let bytes = try table.bytes(key)
            let value = try FieldRow.bytes(of: row, named: table.fullName)
            try note(target, bytes)
            lent.pointee.put(target, bytes.span.bytes, value.span.bytes)
        }
    }

    /// Deletes a row of one of the projection's own tables, if it is there.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where table or key break a rule.
    public mutating func remove<Row, Key>(from table: ProjectionTable<Row, Key>, at key: Key) throws {
        let failure = failure
        try failure.noting {
            let target = try own(table)
            let bytes = try table.bytes(key)
            guard try lent.pointee.snapshot.hasRow(target, bytes.span.bytes) else { return }
            try note(target, bytes)
            lent.pointee.remove(target, bytes.span.bytes)
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

    private mutating func note(_ table: ViewTable, _ key: [UInt8]) throws {
        undo.append((table, key, try lent.pointee.snapshot.bytes(table, key)))
    }

    /// Puts the rows back that the event changed.
    mutating func undoChanges() {
        for change in undo.reversed() {
            if let row = change.row {
                lent.pointee.put(change.table, change.key.span.bytes, row.span.bytes)
            } else {
                lent.pointee.remove(change.table, change.key.span.bytes)
            }
        }
        undo.removeAll()
    }
}
