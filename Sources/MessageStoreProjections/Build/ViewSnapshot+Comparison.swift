@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// Reports where the rows of two snapshots over the same environment differ: only buffered rows can.
    ///
    /// - Returns: How many rows differ; `body` is called with each, in key order.
    borrowing func compareBuffers(with other: borrowing ViewSnapshot, _ body: (ViewDifference) -> Void) throws -> Int {
        var count = 0
        for entry in plan.folded.indices.map({ plan.catalog.entries[$0] }) {
            for table in entry.tables {
                try Self.forEachKey(of: table, active, other.active) { key throws in
                    let mine = try row(table, key)?.copied
                    let others = try other.row(table, key)?.copied
                    guard mine != others else { return }
                    count += 1
                    body(
                        ViewDifference(
                            projection: entry.declaration.id, table: table,
                            declaration: plan.catalog.tables[table.index], key: key.copied, live: mine, rebuilt: others)
                    )
                }
            }
        }
        return count
    }

    /// Calls `body` with each key that either layer has in a table, in order.
    private static func forEachKey(
        of table: ViewTable, _ first: RowLayer, _ second: RowLayer, _ body: (RawSpan) throws -> Void
    ) throws {
        if table == .identities { return try forEachChangedIdentity(first, second, body) }
        var (one, other) = (RowTreeCursor(first[table]), RowTreeCursor(second[table]))
        one.seek(nil)
        other.seek(nil)
        while one.isValid || other.isValid {
            let order: Int
            if one.isValid, other.isValid {
                order = ByteOrder.compare(one.key, other.key)
            } else {
                order = one.isValid ? -1 : 1
            }
            try body(RawSpan(_unsafeBytes: order <= 0 ? one.key : other.key))
            if order <= 0 { one.advance() }
            if order >= 0 { other.advance() }
        }
    }

    /// Layers may hold a million identities, of which a few differ.
    private static func forEachChangedIdentity(
        _ first: RowLayer, _ second: RowLayer, _ body: (RawSpan) throws -> Void
    ) throws {
        let (mine, others) = (first.sortedIdentities(without: second), second.sortedIdentities(without: first))
        var (one, other) = (0, 0)
        var bytes = ByteWriter(capacity: 16)
        while one < mine.count || other < others.count {
            let isMine = one < mine.count && (other == others.count || !others[other].precedes(mine[one]))
            let isOther = other < others.count && (one == mine.count || !mine[one].precedes(others[other]))
            if !(isMine && isOther && mine[one].position == others[other].position) {
                bytes.removeAll()
                (isMine ? mine[one] : others[other]).key.write(to: &bytes)
                try body(bytes.bytes)
            }
            if isMine { one += 1 }
            if isOther { other += 1 }
        }
    }
}
