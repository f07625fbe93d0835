extension ReplaySession {
    /// The rows of all projections that differ between two positions, in the order of projections, tables and keys.
    ///
    /// Between neighbours that costs a look at what was folded since the last snapshot, between others a look at all
    /// rows.
    ///
    /// - Parameters:
    ///   - earlier: The position before.
    ///   - later: The position after; not before the first.
    ///   - projections: Whose rows; nil for all projections.
    ///   - limit: The maximum number of changes to answer with; all are counted.
    ///   - progress: Called periodically with the position reached and the one to reach; throwing ends the call.
    /// - Returns: The first changes, and how many there are.
    /// - Throws: As ``read(at:progress:_:)``; `invalidArgument` where the positions are in the wrong order.
    public func changes(
        from earlier: Position, to later: Position, of projections: Set<ProjectionID>? = nil, limit: Int = .max,
        progress: MessageStore.ReplayProgress = { _, _ in }
    ) throws -> (changes: [RowDifference], count: Int) {
        try changes(
            from: earlier, to: later, of: projections, limit: limit, hasContent: false, progress: progress)
    }

    /// The same with user-written text, or its length.
    ///
    /// - Parameter isCounted: Which rows to answer with and to count, by what they say; nil for all.
    package func changes(
        from earlier: Position, to later: Position, of projections: Set<ProjectionID>?, limit: Int, hasContent: Bool,
        where isCounted: ((RowDifference) -> Bool)? = nil, progress: MessageStore.ReplayProgress
    ) throws -> (changes: [RowDifference], count: Int) {
        let (log, views) = try opened()
        return try StoreError.translating {
            try Self.check(earlier, log)
            try Self.check(later, log)
            guard earlier <= later else {
                throw StoreError(
                    .invalidArgument, "the earlier position, \(earlier), comes after the later one, \(later)")
            }
            var list = RowDifferences(projections, limit, views.symbols)
            (list.hasContent, list.isCounted) = (hasContent, isCounted)
            try store.closing.ending(progress) { try views.compare(earlier, later, progress: $0) { list.add($0) } }
            return (list.rows, list.count)
        }
    }

    /// The rows that differ from those of another session of the same store at one position, such as what a transform
    /// changes.
    ///
    /// Costs a look at all rows.
    ///
    /// - Parameters:
    ///   - other: The other session, whose rows are the first ones of the differences; one without a transform.
    ///   - position: From 0 to the last that is durable.
    ///   - projections: Whose rows; nil for all projections.
    ///   - limit: The maximum number of rows to answer with; all are counted.
    ///   - progress: Called periodically with the position reached and the one to reach; throwing ends the call.
    /// - Returns: The first rows that differ, and how many there are.
    /// - Throws: As ``read(at:progress:_:)``; `invalidArgument` where the other session is one of another store, or has
    ///   a transform: names that only transforms give have numbers of their own in each session.
    public func differences(
        from other: ReplaySession, at position: Position, of projections: Set<ProjectionID>? = nil, limit: Int = .max,
        progress: MessageStore.ReplayProgress = { _, _ in }
    ) throws -> (rows: [RowDifference], count: Int) {
        let found = try countedDifferences(from: other, at: position, of: projections, limit: limit, progress: progress)
        return (found.rows, found.count)
    }

    /// The same with the number of rows of each table.
    package func countedDifferences(
        from other: ReplaySession, at position: Position, of projections: Set<ProjectionID>?, limit: Int,
        where isCounted: ((RowDifference) -> Bool)? = nil, progress: MessageStore.ReplayProgress
    ) throws -> RowDifferences {
        guard other.store === store else {
            throw StoreError(.invalidArgument, "the other session is one of another store", path: other.store.path)
        }
        let (log, views) = try opened()
        let first = try other.opened().views
        guard !first.hasOwnSymbols else {
            throw StoreError(.invalidArgument, "the other session has a transform; compare what was recorded with it")
        }
        return try StoreError.translating {
            try Self.check(position, log)
            var list = RowDifferences(projections, limit, views.symbols)
            list.isCounted = isCounted
            try store.closing.ending(progress) { progress in
                try views.compare(with: first, at: position, progress: progress) { list.add($0) }
            }
            return list
        }
    }

    /// Those of some events by which no row changed, other than which identities are known.
    package func eventsWithoutEffect(among positions: [Position]) throws -> [Position] {
        let (log, views) = try opened()
        return try StoreError.translating { try views.eventsWithoutEffect(among: positions.filter { $0 > log.base }) }
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
    private let symbols: SymbolTable
    fileprivate var hasContent = false
    fileprivate var isCounted: ((RowDifference) -> Bool)?

    package var count: Int { tables.reduce(0) { $0 + $1.count } }

    init(_ projections: Set<ProjectionID>?, _ limit: Int, _ symbols: SymbolTable) {
        (self.projections, self.limit, self.symbols) = (projections, limit, symbols)
    }

    mutating func add(_ difference: ViewDifference) {
        guard projections?.contains(difference.projection) ?? true else { return }
        let row =
            rows.count < limit || isCounted != nil
            ? RowDifference(difference, symbols, hasContent: hasContent) : nil
        guard row.map({ isCounted?($0) ?? true }) ?? true else { return }
        let name = difference.declaration.name
        if tables.last?.name != name || tables.last?.projection != difference.projection {
            tables.append(Table(projection: difference.projection, name: name, count: 0))
        }
        tables[tables.count - 1].count += 1
        if rows.count < limit, let row { rows.append(row) }
    }
}
