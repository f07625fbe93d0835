@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// Reports where the rows of two snapshots over the same environment differ: only buffered rows can.
    ///
    /// Costs least where one was folded on from the other.
    ///
    /// - Returns: How many rows differ; `body` is called with each, in key order.
    borrowing func compareBuffers(with other: borrowing ViewSnapshot, _ body: (ViewDifference) -> Void) throws -> Int {
        var count = 0
        for entry in plan.folded.indices.map({ plan.catalog.entries[$0] }) {
            for table in entry.tables {
                try active.forEachKey(of: table, notSharedWith: other.active) { bytes throws in
                    let key = RawSpan(_unsafeBytes: bytes)
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
}
