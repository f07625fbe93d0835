internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func storedRow<Row, Key>(of table: ProjectionTable<Row, Key>, at key: Key) throws -> Row? {
        let target = try registered(table)
        let key = StoredKey(try table.bytes(key))
        guard let stored = try row(target, key.bytes.span.bytes), let row = try key.row(in: stored) else { return nil }
        return try table.row(row.span.bytes, at: key.whole.span.bytes).value
    }

    /// - Parameter prefix: The bytes with which keys begin.
    borrowing func storedRows<Row, Key>(
        of table: ProjectionTable<Row, Key>, under prefix: [UInt8] = [], order: ReadOrder = .ascending,
        after cursor: PageCursor? = nil, limit: Int
    ) throws -> Page<TableRow<Row, Key>> {
        try Views.check(limit: limit)
        let target = try registered(table)
        let start = try cursor?.place(.row)
        if let start, !start.starts(with: prefix) {
            throw StoreError(
                .invalidArgument, "the key after which to begin does not have the prefix that rows must have")
        }
        let range = KeyRange(prefix: prefix, start: start, order: order)
        var rows: [TableRow<Row, Key>] = []
        // Rows of long keys whose first bytes are the same, which the table has in another order.
        var group: [(key: [UInt8], row: [UInt8])] = []
        func takeGroup() throws {
            for (key, row) in range.ordered(group) where range.contains(key.span.bytes) {
                rows.append(try table.row(row.span.bytes, at: key.span.bytes))
            }
            group = []
        }
        let beginning = Array(prefix.prefix(StoredKey.limit))
        var found = try self.cursor(target, range)
        while rows.count <= limit, try found.next(), found.key.removing(beginning) != nil {
            let isLong = found.key.byteCount > StoredKey.limit
            if let first = group.first, !isLong || found.key.removing(Array(first.key.prefix(StoredKey.limit))) == nil {
                try takeGroup()
            }
            if isLong {
                group += try LongKeyRows(at: found).whole
            } else if range.contains(found.key) {
                rows.append(try table.row(at: found))
            }
        }
        try takeGroup()
        return try Page(rows, limit: limit) { try table.cursor(after: $0.key) }
    }

    @_lifetime(borrow self)
    private borrowing func cursor(_ table: ViewTable, _ range: KeyRange) throws -> RowCursor {
        switch range.order {
        case .ascending: _overrideLifetime(try rows(table, from: range.bound.span.bytes), borrowing: self)
        case .descending: _overrideLifetime(try rowsBackwards(table, before: range.bound.span.bytes), borrowing: self)
        }
    }

    /// The bytes of a row; nil if there is none.
    borrowing func bytes(_ table: ViewTable, _ key: [UInt8]) throws -> [UInt8]? {
        guard let row = try row(table, key.span.bytes) else { return nil }
        return row.copied
    }

    borrowing func registered<Row, Key>(_ table: ProjectionTable<Row, Key>) throws -> ViewTable {
        guard let target = plan.catalog.table(named: table.fullName) else {
            throw StoreError(.invalidArgument, "the table \(table.fullName) is not registered")
        }
        guard plan.catalog.tables[target.index].description?.key == table.columns else {
            throw StoreError(.invalidArgument, "the table \(table.fullName) is registered with another key")
        }
        return target
    }
}

/// The range of a table's keys that are read.
private struct KeyRange {
    /// The bytes with which they begin.
    let prefix: [UInt8]
    /// The key after which they are, in the order; nil for all.
    let start: [UInt8]?
    let order: ReadOrder

    /// The bytes at which the walk begins.
    var bound: [UInt8] {
        if let start, start.count <= StoredKey.limit { return start }
        let beginning = Array((start ?? prefix).prefix(StoredKey.limit))
        return switch order {
        case .ascending: beginning
        case .descending: beginning + [UInt8](repeating: 0xFF, count: StoredKey.boundCount - beginning.count)
        }
    }

    func contains(_ key: RawSpan) -> Bool {
        guard key.removing(prefix) != nil else { return false }
        guard let start else { return true }
        return order == .ascending ? start.span.bytes.precedes(key) : key.precedes(start.span.bytes)
    }

    func ordered(_ rows: [(key: [UInt8], row: [UInt8])]) -> [(key: [UInt8], row: [UInt8])] {
        guard rows.count > 1 else { return rows }
        let ascending = rows.ordered { $0.key.lexicographicallyPrecedes($1.key) }
        return order == .ascending ? ascending : ascending.reversed()
    }
}

/// A part of a row or a key, in words.
package struct DescribedPart: Hashable, Sendable {
    package let name: String
    package let value: String
}

/// A row of any table of the views, in words.
package struct DescribedRow: Hashable, Sendable {
    /// nil if the key cannot be read.
    package let key: [DescribedPart]?
    /// nil if the row cannot be read.
    package let row: [DescribedPart]?
}

extension DescribedRow {
    // Not inlined: the optimiser fails where both spans of a cursor are used in a loop.
    @inline(never)
    fileprivate static func all(
        at cursor: borrowing RowCursor, _ kinds: [any RowWords], _ symbols: SymbolTable
    ) -> [DescribedRow] {
        all(cursor.key, cursor.value, kinds, symbols)
    }

    /// The row of a key, or the rows of long ones that are stored together.
    fileprivate static func all(
        _ key: RawSpan, _ row: RawSpan, _ kinds: [any RowWords], _ symbols: SymbolTable
    ) -> [DescribedRow] {
        guard let rows = try? LongKeyRows(row, at: key) else { return [DescribedRow(key, row, kinds, symbols)] }
        return rows.whole.map { DescribedRow($0.key.span.bytes, $0.row.span.bytes, kinds, symbols) }
    }

    fileprivate init(_ key: RawSpan, _ row: RawSpan, _ kinds: [any RowWords], _ symbols: SymbolTable) {
        let words = { (texts: [RowPartText]) in
            texts.map { DescribedPart(name: $0.name, value: $0.value.words(symbols)) }
        }
        let found = kinds.texts(of: key)
        self.init(key: found.map { words($0.key) }, row: found?.kind.rowTexts(row).map(words))
    }
}

extension ViewSnapshot {
    /// The names of all tables, including tables of projections that are not registered.
    package var tableNames: [String] {
        let others = tables.dropFirst(plan.catalog.tables.count + ViewEnvironment.ownTables.count).map(\.name)
        return plan.catalog.tables.map(\.name) + others
    }

    /// The first rows of a table in words, by key.
    ///
    /// Rows of a projection that nobody registered are shown by the description that was kept with them, at the
    /// position at which they were left.
    ///
    /// - Throws: ``StoreError``: `notFound` where there is no such table, `rebuilding`.
    package borrowing func describedRows(of name: String, limit: Int) throws -> [DescribedRow] {
        guard let table = plan.catalog.table(named: name) else { return try unregisteredRows(of: name, limit: limit) }
        let kinds = plan.catalog.tables[table.index].words
        var rows: [DescribedRow] = []
        for part in try TablePart.all(of: table, unsortedIdentities()) where rows.count < limit {
            var cursor = try self.rows(table, of: part)
            while rows.count < limit, try cursor.next(), part.contains(cursor.key) {
                rows += DescribedRow.all(at: cursor, kinds, symbols)
            }
        }
        return rows
    }

    private borrowing func unregisteredRows(of name: String, limit: Int) throws -> [DescribedRow] {
        let metaIndex = plan.catalog.tables.count
        guard let table = tables.dropFirst(metaIndex + 1).first(where: { $0.name == name }) else {
            throw StoreError(.notFound, "there is no table \(name) of the views")
        }
        let key = TableDescription.key(of: name)
        guard let stored = try base?.value(for: key.span.bytes, in: tables[metaIndex]),
            let description = TableDescription(stored)
        else { return [] }
        var rows: [DescribedRow] = []
        var cursor = try base?.unboundCursor(in: table) ?? UnboundCursor()
        while try rows.count < limit && cursor.move(rows.isEmpty ? .first : .next) {
            rows += DescribedRow.all(
                RawSpan(_unsafeBytes: cursor.key), RawSpan(_unsafeBytes: try cursor.openValue), [description], symbols)
        }
        return rows
    }
}

/// In which direction the log, or the rows of a table, are read.
public enum ReadOrder: Sendable, Hashable {
    /// From the oldest event to the newest; from the smallest key to the greatest.
    case ascending
    /// From the newest event to the oldest; from the greatest key to the smallest.
    case descending
}

extension Views {
    /// A row of a host's projection; nil if there is none.
    ///
    /// Costs one look-up.
    ///
    /// - Throws: `StoreError`: `invalidArgument` where the table is not registered or the key does not fit it,
    ///   `rebuilding`, `projectionFailed`.
    public borrowing func row<Row, Key>(of table: ProjectionTable<Row, Key>, at key: Key) throws -> Row? {
        try checkRuns(table.projection)
        return try snapshot.storedRow(of: table, at: key)
    }

    /// Rows of a host's projection, by key.
    ///
    /// Costs a step for each row.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - prefix: The first parts of the key, where rows must have them.
    ///   - order: The direction.
    ///   - cursor: The end of the page before, or ``ProjectionTable/cursor(after:)``; nil for the first page.
    ///   - limit: The maximum number of rows, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, and where the table is not registered or a
    ///   key does not fit it; `rebuilding`, `projectionFailed`.
    public borrowing func rows<Row, Key, each Prefix: FieldValue>(
        of table: ProjectionTable<Row, Key>, where prefix: repeat each Prefix, order: ReadOrder = .ascending,
        after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<TableRow<Row, Key>> {
        try checkRuns(table.projection)
        let prefix = try table.bytes(beginning: repeat each prefix)
        return try snapshot.storedRows(of: table, under: prefix, order: order, after: cursor, limit: limit)
    }

    /// - Throws: `StoreError` with code `projectionFailed` where the projection stopped.
    private borrowing func checkRuns(_ projection: ProjectionID) throws {
        let catalog = snapshot.plan.catalog
        guard let index = catalog.index(of: projection),
            catalog.entries[index].declaration.failurePolicy == .stop,
            catalog.table(named: FailedEvent.table(of: projection).fullName) != nil,
            let failed = try ViewDiagnostics.failedEvents(of: projection, in: self, limit: 1).first
        else { return }
        throw StoreError(
            .projectionFailed, "the projection \(projection) stopped with code \(failed.code)",
            position: failed.position)
    }
}

extension ViewDiagnostics {
    /// How many rows a table has, such as `com.example.mentions/open` of a host's projection.
    ///
    /// Costs a step for each row.
    ///
    /// - Throws: `StoreError`: `notFound` where there is no such table, `rebuilding`.
    public static func rowCount(of table: String, in views: borrowing Views) throws -> Int {
        try views.snapshot.describedRows(of: table, limit: .max).count
    }

    /// The events that a host's projection could not fold, by position.
    ///
    /// - Parameters:
    ///   - projection: The projection.
    ///   - views: The views that a read was given.
    ///   - limit: The maximum number of events, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range and where it is not registered, `rebuilding`.
    public static func failedEvents(
        of projection: ProjectionID, in views: borrowing Views, limit: Int = 100
    ) throws -> [(position: Position, code: Int32)] {
        try views.snapshot.storedRows(of: FailedEvent.table(of: projection), limit: limit).elements.map {
            ($0.key, $0.value.code)
        }
    }
}
