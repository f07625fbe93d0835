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
    /// The events that had a part in it, and how many of them were left out, one after the other.
    let candidates: Int
    private(set) var tried = 0
    private(set) var suspects: [Suspect] = []

    /// The most events that are left out if no value is expected.
    static let mostTried = 500

    /// - Parameters:
    ///   - value: A condition with one term.
    ///   - expected: The value that would be right; nil for any other.
    ///   - since: The first time of events that are suspected.
    init(
        _ condition: Condition, in store: MessageStore, through last: Position, expected: ConditionValue?,
        since: Timestamp?, _ names: Names, progress: MessageStore.ReplayProgress
    ) throws {
        let oddities = try EventOddities(of: store, through: last, names, progress: progress)
        let replays = SuspectReplays(condition, in: store, through: last)
        let value = try replays.value(without: nil)
        self.value = value
        guard value != expected else { throw ToolError.usage("the value is \(value.words(hasContent: false)) already") }
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
        for candidate in expected == nil ? events.prefix(Self.mostTried) : events[...] {
            try progress(Position(UInt64(tried)), Position(UInt64(events.count)))
            tried += 1
            let other = try replays.value(without: candidate.event.position)
            guard expected.map({ $0 == other }) ?? (other != value) else { continue }
            suspects.append(Suspect(event: candidate.event, value: other, oddities: candidate.oddities))
        }
    }
}

/// Replays of a log without one event, of which each folds no more than its value needs.
private struct SuspectReplays {
    private let store: MessageStore
    private let condition: Condition
    private let last: Position

    init(_ condition: Condition, in store: MessageStore, through last: Position) {
        (self.store, self.condition, self.last) = (store, condition, last)
    }

    func value(without position: Position?) throws -> ConditionValue {
        let session = try store.replaySession(
            about: condition.conversation, of: condition.projections, without: position)
        return try session.read(at: last) { try condition.values($0)[0] }
    }
}
