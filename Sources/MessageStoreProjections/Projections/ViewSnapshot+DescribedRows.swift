internal import MessageStoreLMDB

/// A part of a row or a key, in words.
package struct DescribedPart: Hashable, Sendable {
    package let name: String
    package let value: String
}

/// A row of any table of the views, in words.
package struct DescribedRow: Hashable, Sendable {
    /// nil where the key cannot be read.
    package let key: [DescribedPart]?
    /// nil where the row cannot be read.
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
    /// The names of all tables, including those of projections that are not registered.
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
                RawSpan(_unsafeBytes: cursor.key), RawSpan(_unsafeBytes: cursor.value), [description], symbols)
        }
        return rows
    }
}
