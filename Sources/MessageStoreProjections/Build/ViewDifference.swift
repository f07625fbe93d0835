@_spi(Storage) internal import MessageStoreLog

/// A row that differs between the views that are served and those that a replay of the log gives.
package struct ViewDifference: Sendable {
    package let projection: ProjectionID
    package let table: ViewTable
    /// The table as the projection declares it.
    package let declaration: TableDeclaration
    package let key: [UInt8]
    /// The row that is served; nil where there is none.
    package let live: [UInt8]?
    /// The row that the replay gives; nil where there is none.
    package let rebuilt: [UInt8]?
}

extension ViewSnapshot {
    /// Walks both builds' rows of every table side by side and reports where they differ.
    ///
    /// - Returns: How many rows differ; `body` is called with each, in key order.
    borrowing func compare(
        with rebuilt: borrowing ViewSnapshot, partsOf size: Int = TablePart.size, _ body: (ViewDifference) -> Void
    ) throws -> Int {
        var count = 0
        let unsorted = max(try unsortedIdentities(), try rebuilt.unsortedIdentities())
        for entry in plan.folded.indices.map({ plan.catalog.entries[$0] }) {
            for table in entry.tables {
                for part in TablePart.all(of: table, unsorted, of: size) {
                    try compare(table, part, with: rebuilt) { key, live, other in
                        count += 1
                        body(
                            ViewDifference(
                                projection: entry.declaration.id, table: table,
                                declaration: plan.catalog.tables[table.index], key: key, live: live, rebuilt: other))
                    }
                }
            }
        }
        return count
    }

    private borrowing func compare(
        _ table: ViewTable, _ part: TablePart, with rebuilt: borrowing ViewSnapshot,
        _ body: (_ key: [UInt8], _ live: [UInt8]?, _ rebuilt: [UInt8]?) -> Void
    ) throws {
        var live = try rows(table, of: part)
        var other = try rebuilt.rows(table, of: part)
        var hasLive = try live.next() && part.contains(live.key)
        var hasOther = try other.next() && part.contains(other.key)
        while hasLive || hasOther {
            let isLiveFirst = hasLive && (!hasOther || !other.key.precedes(live.key))
            let isOtherFirst = hasOther && (!hasLive || !live.key.precedes(other.key))
            if !(isLiveFirst && isOtherFirst && live.value.isEqual(to: other.value)) {
                body(
                    isLiveFirst ? live.key.copied : other.key.copied, isLiveFirst ? live.value.copied : nil,
                    isOtherFirst ? other.value.copied : nil)
            }
            if isLiveFirst { hasLive = try live.next() && part.contains(live.key) }
            if isOtherFirst { hasOther = try other.next() && part.contains(other.key) }
        }
    }
}
