@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func storedRow<Row, Key>(of table: ProjectionTable<Row, Key>, at key: Key) throws -> Row? {
        let target = try registered(table)
        let key = try table.bytes(key)
        guard let row = try row(target, key.span.bytes) else { return nil }
        return try table.row(row, at: key.span.bytes).value
    }

    /// - Parameter prefix: The bytes with which keys begin.
    borrowing func storedRows<Row, Key>(
        of table: ProjectionTable<Row, Key>, under prefix: [UInt8] = [], order: ReadOrder = .ascending,
        after key: Key? = nil, limit: Int
    ) throws -> Page<TableRow<Row, Key>, Key> {
        try Views.check(limit: limit)
        let target = try registered(table)
        let start = try key.map { try table.bytes($0) }
        if let start, !start.starts(with: prefix) {
            throw StoreError(
                .invalidArgument, "the key after which to begin does not have the prefix that rows must have")
        }
        var rows: [TableRow<Row, Key>] = []
        var cursor = try cursor(target, prefix, order, start)
        while rows.count <= limit, try cursor.next(), cursor.key.removing(prefix) != nil {
            if let start, cursor.key.isEqual(to: start.span.bytes) { continue }
            rows.append(try table.row(at: cursor))
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
            let longest = [KeyColumn].longestKey
            let end = start ?? prefix + [UInt8](repeating: 0xFF, count: longest + 1 - prefix.count)
            return _overrideLifetime(try rowsBackwards(table, before: end.span.bytes), borrowing: self)
        }
    }

    /// The bytes of a row; nil where there is none.
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
