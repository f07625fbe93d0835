@_spi(Storage) internal import MessageStoreLog

/// A row that differs between two builds of the views: the served one and a replay, or an earlier and a later position.
public struct RowDifference: Sendable, Hashable {
    /// The projection.
    public let projection: ProjectionID
    /// The table.
    public let table: String
    /// The row's key, in hexadecimal.
    public let key: String
    /// The whole row of the first build, names included, in hexadecimal; nil if there is none.
    ///
    /// The first build is the one that is served, for `verify` of a store, or the earlier position.
    public let first: String?
    /// The whole row of the second build, names included, in hexadecimal; nil if there is none.
    ///
    /// The second build is the replay, or the later position.
    public let second: String?
    /// The parts of the key in words; nil if the key cannot be decoded.
    public let keyParts: [KeyPart]?
    /// The parts of the row that differ, in words; nil if one of the rows cannot be decoded.
    ///
    /// Ids are shown. Names and other texts written by people are shown by their length, so two parts that differ may
    /// look alike.
    public let parts: [Part]?

    /// A part of a key.
    public struct KeyPart: Sendable, Hashable {
        /// The name, as in the document of the format.
        public let name: String
        /// The value in words.
        public let value: String
    }

    /// A part of a row.
    public struct Part: Sendable, Hashable {
        /// The name, as in the document of the format.
        public let name: String
        /// The value in the first build, in words; nil if there is none.
        public let first: String?
        /// The value in the second build, in words; nil if there is none.
        public let second: String?
    }
}

/// The bytes of a row that differs between two builds; nil if a build has none.
package typealias DifferingRow = (table: ViewTable, key: [UInt8], first: [UInt8]?, second: [UInt8]?)

extension ViewSnapshot {
    /// Walks both builds' rows of every table side by side and reports differing rows, in key order.
    borrowing func compare(
        with rebuilt: borrowing ViewSnapshot, partsOf size: Int = TablePart.size, _ body: (DifferingRow) -> Void
    ) throws {
        let unsorted = max(try unsortedIdentities(), try rebuilt.unsortedIdentities())
        for table in plan.catalog.tables(of: plan.folded) {
            for part in TablePart.all(of: table, unsorted, of: size) {
                try compare(table, part, with: rebuilt, body)
            }
        }
    }

    private borrowing func compare(
        _ table: ViewTable, _ part: TablePart, with rebuilt: borrowing ViewSnapshot,
        _ body: (DifferingRow) -> Void
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
                    (
                        table, isLiveFirst ? live.key.copied : other.key.copied,
                        isLiveFirst ? live.value.copied : nil, isOtherFirst ? other.value.copied : nil
                    ))
            }
            if isLiveFirst { hasLive = try live.next() && part.contains(live.key) }
            if isOtherFirst { hasOther = try other.next() && part.contains(other.key) }
        }
    }
}

extension RowDifference {
    /// The row in words.
    ///
    /// - Parameter hasContent: Whether names and other words of people are shown, and not only their length.
    init(_ row: DifferingRow, _ catalog: ProjectionCatalog, _ symbols: SymbolTable, hasContent: Bool = false) {
        let declaration = catalog.tables[row.table.index]
        (projection, table) = (catalog.projection(of: row.table), declaration.name)
        // Bytes of a part of a tuple cannot be borrowed.
        let storedKey = row.key
        key = storedKey.span.bytes.hexadecimal
        first = row.first.map { $0.span.bytes.hexadecimal }
        second = row.second.map { $0.span.bytes.hexadecimal }
        let (shownKey, shownFirst, shownSecond) = Self.firstDifference(row)
        let words = { (text: RowPartText) in text.value.words(symbols, hasContent: hasContent) }
        guard let (kind, keyTexts) = declaration.words.texts(of: shownKey.span.bytes) else {
            (keyParts, parts) = (nil, nil)
            return
        }
        keyParts = keyTexts.map { KeyPart(name: $0.name, value: words($0)) }
        // A row that is not there has no parts.
        guard let ones = shownFirst.map({ kind.rowTexts($0.span.bytes) }) ?? [],
            let others = shownSecond.map({ kind.rowTexts($0.span.bytes) }) ?? []
        else {
            parts = nil
            return
        }
        // A row that lacks parts lacks its last ones.
        parts = (0..<max(ones.count, others.count)).compactMap { index in
            let one = index < ones.count ? ones[index] : nil
            let other = index < others.count ? others[index] : nil
            guard one != other, let name = one?.name ?? other?.name else { return nil }
            return Part(name: name, first: one.map(words), second: other.map(words))
        }
    }

    /// The key and the rows; of long keys that are stored together the first whose rows differ.
    private static func firstDifference(
        _ row: DifferingRow
    ) -> (key: [UInt8], first: [UInt8]?, second: [UInt8]?) {
        let key = row.key
        let longRows = { (stored: [UInt8]?) in
            stored.flatMap { try? LongKeyRows($0.span.bytes, at: key.span.bytes).whole } ?? []
        }
        let (ones, others) = (longRows(row.first), longRows(row.second))
        for (key, _) in ones + others {
            let one = ones.first { $0.key == key }?.row
            let other = others.first { $0.key == key }?.row
            if one != other { return (key, one, other) }
        }
        return (key, row.first, row.second)
    }
}

/// The first rows that differ, in words, and how many there are.
package struct RowDifferences {
    /// How many rows of a table differ.
    package struct Table {
        package let projection: ProjectionID
        package let name: String
        package fileprivate(set) var count: Int
    }

    package private(set) var rows: [RowDifference] = []
    /// The tables with rows that differ, in the order of the rows.
    package private(set) var tables: [Table] = []
    private let projections: Set<ProjectionID>?
    private let limit: Int
    private let catalog: ProjectionCatalog
    private let symbols: SymbolTable
    private let hasContent: Bool
    private let isCounted: ((RowDifference) -> Bool)?

    package var count: Int { tables.reduce(0) { $0 + $1.count } }

    /// - Parameters:
    ///   - projections: Whose rows; nil for all projections.
    ///   - limit: The maximum number of rows to keep; all are counted.
    ///   - hasContent: Whether names and other words of people are shown, and not only their length.
    ///   - isCounted: Whether to keep and count a row, by what it says; nil for all.
    package init(
        of projections: Set<ProjectionID>? = nil, limit: Int, _ catalog: ProjectionCatalog, _ symbols: SymbolTable,
        hasContent: Bool = false, where isCounted: ((RowDifference) -> Bool)? = nil
    ) {
        (self.projections, self.limit, self.catalog, self.symbols) = (projections, limit, catalog, symbols)
        (self.hasContent, self.isCounted) = (hasContent, isCounted)
    }

    package mutating func add(_ difference: DifferingRow) {
        let projection = catalog.projection(of: difference.table)
        guard projections?.contains(projection) ?? true else { return }
        let row =
            rows.count < limit || isCounted != nil
            ? RowDifference(difference, catalog, symbols, hasContent: hasContent) : nil
        guard row.map({ isCounted?($0) ?? true }) ?? true else { return }
        let name = catalog.tables[difference.table.index].name
        if tables.last?.name != name || tables.last?.projection != projection {
            tables.append(Table(projection: projection, name: name, count: 0))
        }
        tables[tables.count - 1].count += 1
        if rows.count < limit, let row { rows.append(row) }
    }
}

extension ViewSnapshot {
    /// Reports the rows of two snapshots over the same environment that differ, in key order: only buffered rows can.
    ///
    /// Costs least where one was folded on from the other.
    borrowing func compareBuffers(with other: borrowing ViewSnapshot, _ body: (DifferingRow) -> Void) throws {
        for table in plan.catalog.tables(of: plan.folded) {
            try active.forEachKey(of: table, notSharedWith: other.active) { bytes throws in
                let key = RawSpan(_unsafeBytes: bytes)
                let mine = try row(table, key)?.copied
                let others = try other.row(table, key)?.copied
                if mine != others { body((table, key.copied, mine, others)) }
            }
        }
    }

    /// Whether a row of a table that queries show differs from what it was when the filling layer was another, over
    /// the same base.
    borrowing func hasChanges(since before: RowLayer) throws -> Bool {
        for table in plan.catalog.tables(of: plan.folded) where table != .identities {
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
        return false
    }
}
