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
        after key: Key? = nil, limit: Int
    ) throws -> Page<TableRow<Row, Key>, Key> {
        try Views.check(limit: limit)
        let target = try registered(table)
        let start = try key.map { try table.bytes($0) }
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
        var cursor = try cursor(target, range)
        while rows.count <= limit, try cursor.next(), cursor.key.removing(beginning) != nil {
            let isLong = cursor.key.byteCount > StoredKey.limit
            if let first = group.first, !isLong || cursor.key.removing(Array(first.key.prefix(StoredKey.limit))) == nil
            {
                try takeGroup()
            }
            if isLong {
                group += try LongKeyRows(at: cursor).whole
            } else if range.contains(cursor.key) {
                rows.append(try table.row(at: cursor))
            }
        }
        try takeGroup()
        return Page(rows, limit: limit, next: \.key)
    }

    @_lifetime(borrow self)
    private borrowing func cursor(_ table: ViewTable, _ range: KeyRange) throws -> RowCursor {
        switch range.order {
        case .ascending: _overrideLifetime(try rows(table, from: range.bound.span.bytes), borrowing: self)
        case .descending: _overrideLifetime(try rowsBackwards(table, before: range.bound.span.bytes), borrowing: self)
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

/// Which keys of a table are read.
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
