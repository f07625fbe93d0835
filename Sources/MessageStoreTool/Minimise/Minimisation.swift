@_spi(Storage) internal import MessageStoreLog

/// The smallest log that fulfils a condition, found by delta debugging.
///
/// Parts of the log are left out, and the rest is kept if it fulfils the condition (Zeller, Hildebrandt 2002,
/// "Simplifying and Isolating Failure-Inducing Input"): first conversations, then commits, users and single events, until no
/// single event more can be left out. Equal logs give equal results.
struct Minimisation {
    /// The time is over; the best that was found so far stays.
    private struct TimeIsOver: Error {}

    let log: ReducedLog
    private let store: MessageStore
    private let condition: Condition
    private let last: Position
    /// The index of the event without which the condition is not to hold, and those of the messages that it names.
    private let cause: [Int]
    private let deadline: ContinuousClock.Instant?
    private let progress: (_ replays: Int) throws -> Void

    private(set) var kept: ReducedLog.Kept
    private(set) var replays = 0
    /// Whether a store of events under other names fulfilled the condition.
    private var isFulfilledByCopy = false
    /// Whether no single event more can be left out.
    private(set) var isComplete = false

    /// The most events of a candidate that gets a store of its own; longer ones are replayed.
    private static let mostCopied = 1_000

    /// - Parameters:
    ///   - cause: An event that stays with the messages that it names, and without which the condition is not to hold; nil if any event may go.
    ///   - limit: The time after which the search ends.
    ///   - progress: Called before each replay with the number of those before it.
    /// - Throws: ``ToolError`` if the condition does not hold of the log, or holds of an empty one.
    init(
        _ condition: Condition, in store: MessageStore, through last: Position, because cause: Position?,
        limit: Duration?, progress: @escaping (_ replays: Int) throws -> Void
    ) throws {
        log = try ReducedLog(of: store, through: last)
        (self.store, self.condition, self.last, self.progress) = (store, condition, last, progress)
        let index = cause.map { Int(clamping: $0.rawValue) - 1 }
        let hosts = HostEvents(try store.eventDescriptions())
        self.cause = index.map { [log] in log.cause($0, hosts) } ?? []
        deadline = limit.map { ContinuousClock.now + $0 }
        kept = ReducedLog.Kept(all: log.events.count)
        guard try replayed(kept) else {
            throw ToolError.usage("the condition is false at \(last); `watch` shows where it is true")
        }
        if cause == nil, try replayed(log.leavingOut(kept.indices, of: kept)) {
            throw ToolError.usage(
                "an empty log fulfils the condition; --because POSITION keeps the event that makes it true")
        }
        if let index, try replayed(log.leavingOut([index], of: kept)) {
            throw ToolError.usage(
                "the condition is true without event \(log.events[index].position) as well; write one that is not, or see `suspects`"
            )
        }
    }

    /// Leaves out what can be left out.
    mutating func run() throws {
        do {
            try leaveOut(by: { _, event in event.event.conversation?.description ?? "" })
            try leaveOut(by: { _, event in event.commit })
            try leaveOut(by: { _, event in event.event.actor?.rawValue ?? "" })
            while try leaveOut(by: { index, _ in index }) {}
            isComplete = true
        } catch is TimeIsOver {}
    }

    /// Leaves out events by groups: first by many at once, at last by single ones.
    ///
    /// - Returns: Whether one was left out.
    @discardableResult
    private mutating func leaveOut<Key: Hashable>(by key: (Int, RecordedEvent) -> Key) throws -> Bool {
        let members = Dictionary(grouping: kept.indices) { key($0, log.events[$0]) }
        var groups = members.values.ordered { $0[0] < $1[0] }
        let before = groups.count
        var size = max(groups.count / 2, 1)
        while !groups.isEmpty {
            var start = 0
            while start < groups.count {
                let range = start..<min(start + size, groups.count)
                let rest = log.leavingOut(groups[range].joined(), of: kept)
                if rest != kept, try fulfils(rest) {
                    kept = rest
                    groups.removeSubrange(range)
                } else {
                    start += size
                }
            }
            groups.removeAll { !$0.contains(where: kept.contains) }
            if size == 1 { break }
            size /= 2
        }
        return groups.count < before
    }

    private mutating func fulfils(_ rest: ReducedLog.Kept) throws -> Bool {
        guard cause.allSatisfy(rest.contains) else { return false }
        if let deadline, ContinuousClock.now > deadline { throw TimeIsOver() }
        guard try holds(rest) else { return false }
        return try cause.isEmpty || !holds(log.leavingOut(cause.prefix(1), of: rest))
    }

    /// Whether the condition holds if only these events were recorded.
    private mutating func holds(_ rest: ReducedLog.Kept) throws -> Bool {
        try progress(replays)
        replays += 1
        guard rest.count <= Self.mostCopied else { return try replayed(rest) }
        let holds = try copied(rest) { try $0.holds() }
        // Only what other names fulfil counts.
        if !holds, !isFulfilledByCopy, try replayed(rest) {
            throw ToolError.check(
                "the condition is false of the same log under other names: a rule of a host may name ids or words")
        }
        isFulfilledByCopy = isFulfilledByCopy || holds
        return holds
    }

    private func replayed(_ rest: ReducedLog.Kept) throws -> Bool {
        var options = ReplayedViews.Options()
        options.projections = condition.projections
        options.limits.interval = 1 << 20
        options.rewriting = LogRewriting { rest.contains(Int(clamping: $0.position.rawValue) - 1) }
        // A message that is left out is still found by its position.
        let condition = condition.about(messages: { rest.contains(Int(clamping: $0.rawValue) - 1) })
        return try store.replaySession(options).read(at: last, progress: { _, _ in try progress(replays) }) {
            try condition.holds(condition.values($0))
        }
    }

    private func copied<Result>(_ rest: ReducedLog.Kept, _ body: (ReducedLog.Copy) throws -> Result) throws -> Result {
        let names = try Self.names(of: rest.indices.map { log.events[$0] }, condition, store.account)
        let copy = try log.copy(rest, of: store, condition, names)
        defer { copy.copy.remove() }
        return try body(copy)
    }

    /// Runs `body` with a store of the kept events, under names of their own.
    func withCopy<Result>(_ body: (ReducedLog.Copy) throws -> Result) throws -> Result { try copied(kept, body) }

    /// Other names for the strings of events and of a condition.
    static func names(
        of events: [RecordedEvent], _ condition: Condition, _ account: UserID
    ) throws -> Pseudonyms {
        var names = Pseudonyms()
        names.collect(account.rawValue)
        condition.strings.forEach { names.collect($0) }
        for event in events { try names.collect(event.event) }
        names.assign()
        return names
    }
}
