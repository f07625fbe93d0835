@_spi(Storage) internal import MessageStoreLog

/// The events without which a value would be another, the oddest first.
struct SuspectSearch {
    struct Suspect {
        let event: RecordedEvent
        /// The value without the event.
        let value: ConditionValue
        let oddities: [Oddity]

        /// How odd it is: half as much for each further oddity.
        var bits: Double { oddities.reversed().reduce(0) { $0 / 2 + $1.bits } }
    }

    /// The value as it is.
    let value: ConditionValue
    /// The events that may have a part in it, and how many of them were left out alone.
    let candidates: Int
    private(set) var tried = 0
    private(set) var suspects: [Suspect] = []

    /// The most replays if no value is expected.
    static let mostReplays = 500

    /// The most suspects to find: the oddest are left out first.
    static let mostSuspects = 50

    /// - Parameters:
    ///   - value: A condition with one term.
    ///   - expected: The value that would be right; nil for any other.
    ///   - since: The first time of events that are suspected.
    ///   - progress: Called periodically in each of the passes; throwing ends the search.
    init(
        _ condition: Condition, in store: MessageStore, through last: Position, expected: ConditionValue?,
        since: Timestamp?, _ names: Names, progress: MessageStore.ReplayProgress = { _, _ in }
    ) throws {
        let oddities = try EventOddities(of: store, through: last, names, progress: progress)
        func valueWithout(_ positions: Set<Position>) throws -> ConditionValue {
            let session = try store.replaySession(
                about: condition.conversation, of: condition.projections, without: positions)
            // A message that is left out is still found by its position.
            let condition = condition.about(messages: { !positions.contains(Position($0.rawValue)) })
            return try session.read(at: last) { try condition.values($0)[0] }
        }
        let value = try valueWithout([])
        self.value = value
        guard expected.map({ !ConditionOperator.equal.holds($0, value) }) ?? true else {
            throw ToolError.usage("the value is \(value.words(hasContent: false)) already")
        }
        var positions = try condition.changes(in: store, through: last, progress: progress)
        positions.formUnion(try condition.markers([value], in: store, at: last).map(\.position))
        let found = positions.union(oddities.foundPositions)
        var events: [Suspect] = []
        for position in found.ordered() {
            guard let event = try store.event(at: position), event.clockTime >= since ?? .unknown,
                positions.contains(position) || event.event.conversation == nil
                    || condition.conversation.map({ $0 == event.event.conversation }) ?? true
            else { continue }
            events.append(Suspect(event: event, value: value, oddities: oddities.oddities(of: event)))
        }
        // Of equally odd ones the later.
        events.sort { ($0.bits, $0.event.position) > ($1.bits, $1.event.position) }
        candidates = events.count
        try leaveOut(events, expected, valueWithout, progress)
    }

    private mutating func leaveOut(
        _ events: [Suspect], _ expected: ConditionValue?,
        _ valueWithout: (Set<Position>) throws -> ConditionValue, _ progress: MessageStore.ReplayProgress
    ) throws {
        var groups = events.prefix(Self.alone).map { [$0] }
        for start in stride(from: Self.alone, to: events.count, by: Self.group) {
            groups.append(Array(events[start..<min(start + Self.group, events.count)]))
        }
        groups.reverse()
        var (count, looked) = (0, 0)
        while suspects.count < Self.mostSuspects, let group = groups.popLast(),
            expected != nil || count < Self.mostReplays
        {
            try progress(Position(UInt64(looked)), Position(UInt64(events.count)))
            count += 1
            let other = try valueWithout(Set(group.map(\.event.position)))
            if ConditionOperator.equal.holds(other, value) || group.count == 1 {
                looked += group.count
                guard group.count == 1 else { continue }
                tried += 1
                guard expected.map({ ConditionOperator.equal.holds($0, other) }) ?? (other != value) else { continue }
                suspects.append(Suspect(event: group[0].event, value: other, oddities: group[0].oddities))
            } else {
                groups += [Array(group[(group.count / 2)...]), Array(group[..<(group.count / 2)])]
            }
        }
    }

    /// The oddest events are left out alone, the others by groups first: a group without which the value is the same is
    /// not looked at further, though two of it may make up for each other.
    private static let (alone, group) = (48, 64)
}
