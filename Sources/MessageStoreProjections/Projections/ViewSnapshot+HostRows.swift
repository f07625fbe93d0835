@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func storedRow<Row>(of table: ProjectionTable<Row>, at key: [KeyValue]) throws -> Row? {
        let target = try registered(table)
        let bytes = try TableKey.bytes(key, of: table.key, isPrefix: false, table.fullName)
        guard let row = try row(target, bytes.span.bytes) else { return nil }
        return try FieldRow.decoded(row) ?? unreadable(table, bytes.span.bytes)
    }

    borrowing func storedRows<Row>(
        of table: ProjectionTable<Row>, where prefix: [KeyValue] = [], order: ReadOrder = .ascending,
        after key: [KeyValue]? = nil, limit: Int
    ) throws -> Page<TableRow<Row>, [KeyValue]> {
        try Views.check(limit: limit)
        let target = try registered(table)
        let prefix = try TableKey.bytes(prefix, of: table.key, isPrefix: true, table.fullName)
        let start = try key.map { try TableKey.bytes($0, of: table.key, isPrefix: false, table.fullName) }
        if let start, !start.starts(with: prefix) {
            throw StoreError(
                .invalidArgument, "the key after which to begin does not have the prefix that rows must have")
        }
        var rows: [TableRow<Row>] = []
        var cursor = try cursor(target, prefix, order, start)
        while rows.count <= limit, try cursor.next(), cursor.key.removing(prefix) != nil {
            if let start, cursor.key.isEqual(to: start.span.bytes) { continue }
            guard let values = TableKey.values(cursor.key, of: table.key),
                let row: Row = try FieldRow.decoded(cursor.value)
            else { return try unreadable(table, cursor.key) }
            rows.append(TableRow(key: values, value: row))
        }
        return Page(rows, limit: limit, next: \.key)
    }

    @_lifetime(borrow self)
    private borrowing func cursor(
        _ table: ViewTable, _ prefix: [UInt8], _ order: ReadOrder, _ start: [UInt8]?
    ) throws -> RowCursor {
        switch order {
        case .ascending:
            let bound = start ?? prefix
            return _overrideLifetime(try rows(table, from: bound.span.bytes), borrowing: self)
        case .descending:
            let end = start ?? prefix + [UInt8](repeating: 0xFF, count: TableKey.longest + 1 - prefix.count)
            return _overrideLifetime(try rowsBackwards(table, before: end.span.bytes), borrowing: self)
        }
    }

    /// The bytes of a row; nil where there is none.
    borrowing func bytes(_ table: ViewTable, _ key: [UInt8]) throws -> [UInt8]? {
        guard let row = try row(table, key.span.bytes) else { return nil }
        return row.copied
    }

    borrowing func registered<Row>(_ table: ProjectionTable<Row>) throws -> ViewTable {
        guard let target = plan.catalog.table(named: table.fullName) else {
            throw StoreError(.invalidArgument, "the table \(table.fullName) is not registered")
        }
        guard plan.catalog.tables[target.index].description?.key == table.key else {
            throw StoreError(.invalidArgument, "the table \(table.fullName) is registered with another key")
        }
        return target
    }

    private borrowing func unreadable<Row, Result>(_ table: ProjectionTable<Row>, _ key: RawSpan) throws -> Result {
        throw StoreError(
            .viewsDamaged, "the row \(key.hexadecimal) of the table \(table.fullName) cannot be read; rebuild the views"
        )
    }
}
