internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
package import MessageStoreProjections

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
/// The first way to a position folds the log up to it; from then on each position before it costs a fold of at most 4,096
/// events (8,192 and so on in logs of more than two million). Temporary files beside the served views, in logs that are only
/// read in the temporary directory, take about as much room as the views, and more where many conversations go on at a
/// time; they are removed with the session. Served views, appends and other sessions are not affected.
///
/// Events that were not committed when a call began are not part of it. A session ends when the store is closed; calls
/// after that throw `closed`.
public final class ReplaySession: Sendable {
    private let store: MessageStore
    private let views: Locked<ReplayedViews?>

    init(_ store: MessageStore, _ views: ReplayedViews) {
        self.store = store
        self.views = Locked(views)
    }

    /// Lets go of the temporary files.
    func end() { views.withLock { $0 = nil } }

    private func opened() throws -> (log: EventLog, views: ReplayedViews) {
        let resources = try store.opened()
        guard let views = views.withLock({ $0 }) else {
            throw StoreError(.closed, "the store is closed", path: store.path)
        }
        return (resources.log, views)
    }

    /// Runs `body` with the views as they were at a position.
    ///
    /// - Parameters:
    ///   - position: From 0 to the last that is committed.
    ///   - progress: Called periodically with the position reached and the one to reach; throwing ends the call.
    ///   - body: Receives the views, which are valid only during the call. It must not use the session.
    /// - Throws: `StoreError`: `invalidArgument` beyond the log's end, `recordDamaged` at a damaged record, `closed`; or what
    ///   `progress` or `body` throws.
    public func read<Result>(
        at position: Position, progress: MessageStore.ReplayProgress = { _, _ in },
        _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        let (log, views) = try opened()
        return try StoreError.translating {
            try Self.check(position, log.committedPosition)
            return try store.closing.ending(progress) { try views.read(at: position, progress: $0, body) }
        }
    }

    private static func check(_ position: Position, _ last: Position) throws {
        guard position <= last else {
            throw StoreError(.invalidArgument, "the log ends at \(last)", position: position)
        }
    }

    /// The rows of all projections that differ between two positions, in the order of projections, tables and keys.
    ///
    /// Between neighbours that costs a look at what was folded since the last snapshot, between others a look at all rows.
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
        let (log, views) = try opened()
        return try StoreError.translating {
            try Self.check(later, log.committedPosition)
            guard earlier <= later else {
                throw StoreError(
                    .invalidArgument, "the earlier position, \(earlier), comes after the later one, \(later)")
            }
            var list = Differences(projections, limit, views.symbols)
            try store.closing.ending(progress) { try views.compare(earlier, later, progress: $0) { list.add($0) } }
            return (list.rows, list.count)
        }
    }

    /// The rows that differ from those of another session of the same store at one position, such as what a transform changes.
    ///
    /// Costs a look at all rows.
    ///
    /// - Parameters:
    ///   - other: The other session, whose rows are the first ones of the differences.
    ///   - position: From 0 to the last that is committed.
    ///   - projections: Whose rows; nil for all projections.
    ///   - limit: The maximum number of rows to answer with; all are counted.
    ///   - progress: Called periodically with the position reached and the one to reach; throwing ends the call.
    /// - Returns: The first rows that differ, and how many there are.
    /// - Throws: As ``read(at:progress:_:)``; `invalidArgument` where the other session is one of another store.
    public func differences(
        from other: ReplaySession, at position: Position, of projections: Set<ProjectionID>? = nil, limit: Int = .max,
        progress: MessageStore.ReplayProgress = { _, _ in }
    ) throws -> (rows: [RowDifference], count: Int) {
        guard other.store === store else {
            throw StoreError(.invalidArgument, "the other session is one of another store", path: other.store.path)
        }
        let (log, views) = try opened()
        let first = try other.opened().views
        return try StoreError.translating {
            try Self.check(position, log.committedPosition)
            var list = Differences(projections, limit, views.symbols)
            try store.closing.ending(progress) { progress in
                try views.compare(with: first, at: position, progress: progress) { list.add($0) }
            }
            return (list.rows, list.count)
        }
    }

    /// Finds events by which no row changed, other than which identities are known.
    package func findEventsWithoutEffect(among positions: [Position], _ body: (Position) throws -> Void) throws {
        let (_, views) = try opened()
        try StoreError.translating { try views.findEventsWithoutEffect(among: positions, body) }
    }

    /// The first rows that differ, in words, and how many there are.
    private struct Differences {
        private(set) var rows: [RowDifference] = []
        private(set) var count = 0
        private let projections: Set<ProjectionID>?
        private let limit: Int
        private let symbols: SymbolTable

        init(_ projections: Set<ProjectionID>?, _ limit: Int, _ symbols: SymbolTable) {
            (self.projections, self.limit, self.symbols) = (projections, limit, symbols)
        }

        mutating func add(_ difference: ViewDifference) {
            guard projections?.contains(difference.projection) ?? true else { return }
            count += 1
            if rows.count < limit { rows.append(RowDifference(difference, symbols)) }
        }
    }

    /// Where a session stops on its way.
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
    ///   - stops: Where to stop.
    ///   - first: The first position that can be a stop.
    ///   - last: The last one; nil for the last that is committed.
    ///   - body: Receives the views at a stop, which are valid only during the call; returns whether to go on. It must not use
    ///     the session.
    /// - Throws: As ``read(at:progress:_:)``.
    public func forEachStop(
        at stops: Stops, from first: Position = Position(1), through last: Position? = nil,
        _ body: (borrowing Views) throws -> Bool
    ) throws {
        let (log, views) = try opened()
        try StoreError.translating {
            let end = last ?? log.committedPosition
            try Self.check(end, log.committedPosition)
            var next = max(first, Position(1))
            while next <= end {
                let pieceEnd = min(end, Position(next.rawValue + Self.piece - 1))
                let positions = try positions(of: stops, next...pieceEnd)
                let goesOn = try store.closing.ending({ _, _ in }) { progress in
                    try views.forEach(positions, progress: progress) { views in
                        let goesOn = try body(views)
                        try store.closing.check()
                        return goesOn
                    }
                }
                guard goesOn else { return }
                next = Position(pieceEnd.rawValue + 1)
            }
        }
    }

    /// The last position that is committed.
    func committedPosition() throws -> Position { try opened().log.committedPosition }

    /// Events that are searched for stops at a time.
    static let piece: UInt64 = 4096

    /// The stops within a range.
    func positions(of stops: Stops, _ range: ClosedRange<Position>) throws -> [Position] {
        let log = try opened().log
        var positions: [Position] = []
        let snapshot = try log.committedSnapshot()
        switch stops {
        case .events: return (range.lowerBound.rawValue...range.upperBound.rawValue).map { Position($0) }
        case .commits:
            // A commit ends before the record that is the first of another.
            let after = Position(range.upperBound.rawValue + 1)
            try snapshot.scan(from: Position(range.lowerBound.rawValue + 1), to: after) { record in
                if record.commitIndex == 0 { positions.append(Position(record.position.rawValue - 1)) }
                return .proceed
            }
            if try snapshot.lastPosition() == range.upperBound { positions.append(range.upperBound) }
        case .matching(let filter):
            let conversation = try filter.conversation.map { try log.symbols.existingNumber(of: $0) }
            if case .some(.none) = conversation { return [] }
            try snapshot.scan(from: range.lowerBound, to: range.upperBound) { record in
                if filter.wants(record, conversation: conversation.flatMap { $0 }),
                    filter.recordedTime?.contains(record.recordedTime) ?? true
                {
                    positions.append(record.position)
                }
                return .proceed
            }
        }
        return positions
    }
}

extension MessageStore {
    /// Answers with the events that take the place of one in a replay: itself, others, or none.
    public typealias EventTransform = @Sendable (RecordedEvent) throws -> [Event]

    /// A session that reads the views at positions of the past; see ``ReplaySession``.
    ///
    /// With a transform it reads what the views would be had other events been recorded: an event that is answered with none
    /// is left out, one that is answered with others is replaced by them. Nothing is recorded, and positions stay those of
    /// the log, so that both can be compared:
    ///
    /// ```swift
    /// let without = try store.replaySession { $0.position == 323 ? [] : [$0.event] }
    /// let unread = try without.read(at: last) { try $0.unreadTotals().badge }
    /// ```
    ///
    /// Events that take the place of one share its position and recorded time. One of them at most may be a message, a
    /// modification, recall or verdict of one, a draft, or a session's or attachment's state: those are found by their
    /// positions. What the store once decided stays: a message that was recorded as a repeat of one that is left out is
    /// still a repeat, unless that verdict, an event of its own, is left out, too.
    ///
    /// - Parameter transform: Answers with the events in the place of one, the same whenever it is asked; nil to read what was
    ///   recorded. It is called with each event that is folded, and must not use the store or the session.
    /// - Throws: `StoreError`. What the transform throws, and `invalidArgument` with the position where its events break a
    ///   rule, is thrown by the session's calls.
    public func replaySession(transform: EventTransform? = nil) throws -> ReplaySession {
        var options = ReplayedViews.Options()
        if let transform { options.rewriting = try rewriting(transform) }
        return try replaySession(options)
    }

    /// The same, where only some events are others: those for which `isOffered` answers true.
    package func replaySession(
        where isOffered: @escaping @Sendable (EventType, Position) -> Bool, transform: @escaping EventTransform
    ) throws -> ReplaySession {
        var options = ReplayedViews.Options()
        options.rewriting = try rewriting(where: isOffered, transform)
        return try replaySession(options)
    }

    /// Other events in the place of some.
    package func rewriting(
        where isOffered: @escaping @Sendable (EventType, Position) -> Bool = { _, _ in true },
        _ transform: @escaping EventTransform
    ) throws -> LogRewriting {
        LogRewriting(of: try opened().log, account: account) { record, decoder in
            guard isOffered(record.type, record.position) else { return nil }
            let recorded = try RecordedEvent(record, decoder)
            let events = try transform(recorded)
            return events == [recorded.event] ? nil : events
        }
    }

    /// A session that folds only what one conversation and the account as a whole went through, into some projections.
    ///
    /// What it answers about the conversation is what a session of all events would. Queries of projections that are
    /// neither named nor read by those throw.
    ///
    /// - Parameters:
    ///   - conversation: The conversation; nil for the events of all.
    ///   - projections: The projections; nil for all.
    package func replaySession(
        about conversation: ConversationKey?, of projections: Set<ProjectionID>?
    ) throws -> ReplaySession {
        var options = ReplayedViews.Options()
        options.projections = projections
        if let conversation {
            let log = try opened().log
            let number = try StoreError.translating { try log.symbols.existingNumber(of: conversation) }
            options.rewriting = LogRewriting(of: log, selecting: { $0.conversation == 0 || $0.conversation == number })
        }
        return try replaySession(options)
    }

    /// A session with other options.
    package func replaySession(_ options: ReplayedViews.Options) throws -> ReplaySession {
        let resources = try opened()
        return try StoreError.translating {
            let session = ReplaySession(self, try resources.views.makeReplayed(options))
            replaySessions.add(session)
            return session
        }
    }
}

/// The sessions of a store that are to end when it is closed.
final class ReplaySessions: Sendable {
    private struct Reference: Sendable { weak let session: ReplaySession? }

    private let references = Locked<[Reference]>([])

    func add(_ session: ReplaySession) {
        references.withLock { references in
            references.removeAll { $0.session == nil }
            references.append(Reference(session: session))
        }
    }

    func end() {
        for reference in references.withLock({ $0 }) { reference.session?.end() }
    }
}
