internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A store's views at positions of the past: at any of them, forth and back.
///
/// For debuggers, which look at many moments of one log:
///
/// ```swift
/// let session = try store.replaySession()
/// let before = try session.read(at: 4_711) { try $0.unread().messages }
/// try session.forEachStop(at: .commits, from: 4_000) { views in
///     print(views.position, try views.unread().messages)
///     return true
/// }
/// ```
///
/// The first way to a position folds the log up to it; from then on each position before it costs a fold of at most
/// 4,096 events (8,192 and so on in logs of more than two million). Temporary files, next to the served views or, for a
/// store opened for reading only, in the temporary directory, take about as much room as the views, and more where many
/// conversations are active at a time; they are removed with the session. Served views, appends and other sessions are
/// not affected.
///
/// The tool's `watch` finds the positions at which a condition on such views holds; `Docs/Conditions.md` lists its terms,
/// each with the query that answers it.
///
/// Events that were not durable when a call began are not part of it. A session ends when the store is closed; calls
/// after that throw `closed`.
public final class ReplaySession: Sendable {
    let store: MessageStore
    private let views: Locked<ReplayedViews?>

    init(_ store: MessageStore, _ views: ReplayedViews) {
        self.store = store
        self.views = Locked(views)
    }

    /// Lets go of the temporary files.
    func end() { views.withLock { $0 = nil } }

    func opened() throws -> (log: EventLog, views: ReplayedViews) {
        let resources = try store.opened()
        guard let views = views.withLock({ $0 }) else {
            throw StoreError(
                .closed, "the session has ended: values were erased, or the store is closed", path: store.path)
        }
        return (resources.log, views)
    }

    /// Runs `body` with the views as they were at a position.
    ///
    /// - Parameters:
    ///   - position: From 0 to the last that is durable.
    ///   - progress: Called periodically with the position reached and the one to reach; throwing ends the call.
    ///   - body: Receives the views, which are valid only during the call. It must not use the session.
    /// - Throws: `StoreError`: `invalidArgument` beyond the log's end, `recordDamaged` at a damaged record, `closed`;
    ///   or what `progress` or `body` throws.
    public func read<Result>(
        at position: Position, progress: MessageStore.ReplayProgress = { _, _ in },
        _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        let (log, views) = try opened()
        return try StoreError.translating {
            try Self.check(position, log)
            return try store.closing.ending(progress) { try views.read(at: position, progress: $0, body) }
        }
    }

    static func check(_ position: Position, _ log: EventLog) throws {
        try log.checkIsWhole(at: position)
        let last = log.durablePosition
        guard position <= last else {
            throw StoreError(.invalidArgument, "the log ends at \(last)", position: position)
        }
    }

    /// The positions at which a session stops on its way.
    public enum Stops: Sendable, Hashable {
        /// After each event.
        case events
        /// After the last event of each commit: what a user could have seen.
        case commits
        /// After each event that matches a filter.
        case matching(EventFilter)
    }

    /// Runs `body` with the views at each stop between two positions, both included, in order, until it returns false.
    ///
    /// Costs a fold of the way and some microseconds for each stop.
    ///
    /// - Parameters:
    ///   - stops: The positions at which to stop.
    ///   - first: The first position that can be a stop.
    ///   - last: The last one; nil for the last that is durable.
    ///   - body: Receives the views at a stop, which are valid only during the call; returns whether to continue. It must
    ///     not use the session.
    /// - Throws: As ``read(at:progress:_:)``.
    public func forEachStop(
        at stops: Stops, from first: Position = Position(1), through last: Position? = nil,
        _ body: (borrowing Views) throws -> Bool
    ) throws {
        let (log, views) = try opened()
        try StoreError.translating {
            let end = last ?? log.durablePosition
            try Self.check(end, log)
            var next = max(first, log.replayStart, Position(1))
            while next <= end {
                let pieceEnd = min(end, Position(next.rawValue + Self.piece - 1))
                let (positions, damage) = try self.stops(stops, next...pieceEnd)
                guard try forEach(positions, views, body) else { return }
                if let damage { throw damage }
                next = Position(pieceEnd.rawValue + 1)
            }
        }
    }

    /// Runs `body` with the views at ascending positions, until it returns false; answers whether it never did.
    func forEach(_ positions: [Position], _ body: (borrowing Views) throws -> Bool) throws -> Bool {
        let (_, views) = try opened()
        return try StoreError.translating { try forEach(positions, views, body) }
    }

    private func forEach(
        _ positions: [Position], _ views: ReplayedViews, _ body: (borrowing Views) throws -> Bool
    ) throws -> Bool {
        try store.closing.ending({ _, _ in }) { progress in
            try views.forEach(positions, progress: progress) { views in
                let goesOn = try body(views)
                try store.closing.check()
                return goesOn
            }
        }
    }

    /// The last position that is durable.
    func durablePosition() throws -> Position { try opened().log.durablePosition }

    /// Events that are searched for stops at a time.
    static let piece: UInt64 = 4096

    /// The stops within a range, in order; where a record is damaged those before it, and the error.
    private func stops(_ stops: Stops, _ range: ClosedRange<Position>) throws -> ([Position], damage: StoreError?) {
        var found: [Position] = []
        do {
            try forEachPosition(of: stops, range) { found.append($0) }
        } catch let error as StoreError where error.isOfRecord {
            return (found, error)
        }
        return (found, nil)
    }

    /// The stops within a range, in order.
    func positions(of stops: Stops, _ range: ClosedRange<Position>) throws -> [Position] {
        var found: [Position] = []
        try forEachPosition(of: stops, range) { found.append($0) }
        return found
    }

    private func forEachPosition(
        of stops: Stops, _ range: ClosedRange<Position>, _ body: (Position) -> Void
    ) throws {
        let log = try opened().log
        let snapshot = try log.durableSnapshot()
        switch stops {
        case .events:
            for position in range.lowerBound.rawValue...range.upperBound.rawValue { body(Position(position)) }
        case .commits:
            // A commit ends before the record that is the first of another.
            try snapshot.scan(from: Position(range.lowerBound.rawValue + 1), to: range.upperBound) { record in
                if record.commitIndex == 0 { body(Position(record.position.rawValue - 1)) }
                return .proceed
            }
            if try Self.isEndOfCommit(range.upperBound, in: snapshot) { body(range.upperBound) }
        case .matching(let filter):
            let symbols = snapshot.symbols
            let conversation = try filter.conversation.map { try symbols.existingNumber(of: $0) }
            if case .some(.none) = conversation { return }
            try snapshot.scan(from: range.lowerBound, to: range.upperBound) { record in
                if filter.wants(record, conversation: conversation.flatMap { $0 }) { body(record.position) }
                return .proceed
            }
        }
    }

    /// Whether no record of the same commit follows, as far as the next one can be read.
    private static func isEndOfCommit(_ position: Position, in snapshot: borrowing LogSnapshot) throws -> Bool {
        do {
            guard let next = try snapshot.record(at: Position(position.rawValue + 1)) else { return true }
            return next.commitIndex == 0
        } catch let error as StoreError where error.isOfRecord {
            return true
        }
    }
}

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
        try changes(from: earlier, to: later, of: projections, limit: limit, hasContent: false, progress: progress)
    }

    /// The same with user-written text, or its length.
    ///
    /// - Parameter isCounted: Selects the rows to answer with and to count, by what they say; nil for all.
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
            var list = RowDifferences(
                of: projections, limit: limit, views.catalog, views.symbols, hasContent: hasContent, where: isCounted)
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
            var list = RowDifferences(of: projections, limit: limit, views.catalog, views.symbols, where: isCounted)
            try store.closing.ending(progress) { progress in
                try views.compare(with: first, at: position, progress: progress) { list.add($0) }
            }
            return list
        }
    }

    /// The decisions of projections against the event at a position: what lost against which other event by its time, what
    /// waits for a message, and the words of a host's projection.
    ///
    /// Costs a fold of the way where the session has not been there yet.
    ///
    /// - Throws: As ``read(at:progress:_:)``.
    public func reports(at position: Position) throws -> [FoldReport] { try reports(through: position)[position] ?? [] }

    /// The same of all events up to a position, and of later ones where the session has been there.
    package func reports(through last: Position) throws -> [Position: [FoldReport]] {
        let (log, views) = try opened()
        guard last > log.replayStart else { return [:] }
        return try StoreError.translating {
            try Self.check(last, log)
            return try store.closing.ending({ _, _ in }) { try views.reports(through: last, progress: $0) }
        }
    }

    /// The events among some by which no row changed, other than which identities are known.
    package func eventsWithoutEffect(among positions: [Position]) throws -> [Position] {
        let (log, views) = try opened()
        return try StoreError.translating {
            try views.eventsWithoutEffect(among: positions.filter { $0 > log.replayStart })
        }
    }
}
