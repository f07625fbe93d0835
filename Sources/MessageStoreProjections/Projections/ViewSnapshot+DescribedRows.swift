internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

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
        let catalog = plan.catalog
        guard let table = catalog.table(named: name) else { return try unregisteredRows(of: name, limit: limit) }
        var rows: [DescribedRow] = []
        var cursor = try self.rows(table)
        while rows.count < limit, try cursor.next() {
            if let description = catalog.tables[table.index].description {
                rows.append(Self.row(cursor.key, cursor.value, description))
            } else {
                rows.append(Self.row(cursor.key, cursor.value, of: table, symbols))
            }
        }
        return rows
    }

    private static func row(_ key: RawSpan, _ value: RawSpan, _ description: TableDescription) -> DescribedRow {
        DescribedRow(key: description.keyParts(key), row: description.rowParts(value))
    }

    private static func row(
        _ key: RawSpan, _ value: RawSpan, of table: ViewTable, _ symbols: SymbolTable
    ) -> DescribedRow {
        guard let kind = table.rowKinds.first(where: { $0.has(key) }) else { return DescribedRow(key: nil, row: nil) }
        let words = { (texts: [RowPartText]) in
            texts.map { DescribedPart(name: $0.name, value: $0.value.words(symbols)) }
        }
        return DescribedRow(key: kind.keyTexts(key).map(words), row: kind.row.texts(of: value).map(words))
    }

    private borrowing func unregisteredRows(of name: String, limit: Int) throws -> [DescribedRow] {
        let metaIndex = plan.catalog.tables.count
        guard let table = tables.dropFirst(metaIndex + 1).first(where: { $0.name == name }) else {
            throw StoreError(.notFound, "there is no table \(name) of the views")
        }
        guard let description = try description(of: name, tables[metaIndex]) else { return [] }
        var rows: [DescribedRow] = []
        var cursor = try base?.unboundCursor(in: table) ?? UnboundCursor()
        while try rows.count < limit && cursor.move(rows.isEmpty ? .first : .next) {
            rows.append(
                Self.row(RawSpan(_unsafeBytes: cursor.key), RawSpan(_unsafeBytes: cursor.value), description))
        }
        return rows
    }

    private borrowing func description(of table: String, _ meta: MessageStoreLMDB.Table) throws -> TableDescription? {
        let key = TableDescription.key(of: table)
        guard let bytes = try base?.value(for: key.span.bytes, in: meta) else { return nil }
        return TableDescription(bytes)
    }
}
