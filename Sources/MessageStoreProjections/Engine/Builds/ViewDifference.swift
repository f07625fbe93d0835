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

/// A row that differs, in words.
package struct ViewDifferenceWords: Sendable {
    /// A part of both rows.
    package struct Part: Sendable {
        package let name: String
        /// The value that is served; nil where the row lacks the part.
        package let live: String?
        /// The value that the replay gives; nil where the row lacks the part.
        package let rebuilt: String?
    }

    /// The parts of the key; nil where it cannot be decoded.
    package let key: [(name: String, value: String)]?
    /// The parts that differ; nil where a row cannot be decoded.
    package let parts: [Part]?
}

extension ViewDifference {
    /// The key and the rows; of long keys that are stored together the first whose rows differ.
    private var firstDifference: (key: [UInt8], live: [UInt8]?, rebuilt: [UInt8]?) {
        let (one, other) = (longRows(live), longRows(rebuilt))
        guard
            let key = (one + other).first(where: { pair in
                one.first { $0.key == pair.key }?.row != other.first { $0.key == pair.key }?.row
            })?.key
        else { return (key, live, rebuilt) }
        return (key, one.first { $0.key == key }?.row, other.first { $0.key == key }?.row)
    }

    private func longRows(_ stored: [UInt8]?) -> [(key: [UInt8], row: [UInt8])] {
        stored.flatMap { try? LongKeyRows($0.span.bytes, at: key.span.bytes).whole } ?? []
    }

    /// The key and what differs, in words.
    ///
    /// Ids are shown; of names and other words of people only the length unless `hasContent` says otherwise.
    package func words(_ symbols: SymbolTable, hasContent: Bool = false) -> ViewDifferenceWords {
        let (key, live, rebuilt) = firstDifference
        guard let (kind, keyTexts) = declaration.words.texts(of: key.span.bytes) else {
            return ViewDifferenceWords(key: nil, parts: nil)
        }
        let words = { (text: RowPartText) in text.value.words(symbols, hasContent: hasContent) }
        let keyWords = keyTexts.map { (name: $0.name, value: words($0)) }
        // A row that is not there has no parts.
        guard let live = live.map({ kind.rowTexts($0.span.bytes) }) ?? [],
            let rebuilt = rebuilt.map({ kind.rowTexts($0.span.bytes) }) ?? []
        else { return ViewDifferenceWords(key: keyWords, parts: nil) }
        // A row that lacks parts lacks its last ones.
        let parts = (0..<max(live.count, rebuilt.count)).compactMap { index -> ViewDifferenceWords.Part? in
            let one = index < live.count ? live[index] : nil
            let other = index < rebuilt.count ? rebuilt[index] : nil
            guard one != other, let name = one?.name ?? other?.name else { return nil }
            return ViewDifferenceWords.Part(name: name, live: one.map(words), rebuilt: other.map(words))
        }
        return ViewDifferenceWords(key: keyWords, parts: parts)
    }
}

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
