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

    /// Whether a row of a table that queries show differs from what it was when the filling layer was another, over
    /// the same base.
    borrowing func hasChanges(since before: RowLayer) throws -> Bool {
        for entry in plan.folded.indices.map({ plan.catalog.entries[$0] }) {
            for table in entry.tables where table != .identities {
                var hasChanges = false
                try active.forEachKey(of: table, notSharedWith: before) { bytes throws in
                    let key = RawSpan(_unsafeBytes: bytes)
                    guard !hasChanges, !table.isUnseen(at: key) else { return }
                    let old: [UInt8]? =
                        switch before.lookup(table, bytes) {
                        case .found(let value): [UInt8](value)
                        case .deleted: nil
                        case .absent: try rowBelowActive(table, key)?.copied
                        }
                    hasChanges = try row(table, key)?.copied != old
                }
                if hasChanges { return true }
            }
        }
        return false
    }
}
