package import MessageStore
internal import MessageStoreTestKit
internal import MessageStoreWorkload

/// A seed's batches together with the model of the store that records them, so that any process can go on where
/// another one ended.
///
/// After some batches the store erases events. What a store erased and cut off before is in its ``CrashHistory``.
package struct CrashStream: Sendable {
    /// What the clock of every process says.
    package static let time = Timestamp(milliseconds: 1_700_000_000_000)

    private var events: RandomEvents
    private let seed: UInt64
    /// The store after the batches taken so far.
    package private(set) var model = StoreModel(account: RandomEvents.account)
    /// The position of the last event after each of these batches and erasures.
    package private(set) var ends: [Position] = []
    /// The events that the store erases before the next batch, if any.
    package private(set) var erasure: [Position]?
    /// The positions of the erasures that were noted.
    package private(set) var erasures: Set<Position> = []
    /// The ends of sessions that the histories had so far.
    package private(set) var sessionEnds: Set<Position> = []
    /// What was cut off so far.
    package private(set) var cuts: [CrashHistory.Cut] = []

    /// Begins a stream with batches of 1 to 50 events.
    package init(seed: UInt64) {
        self.seed = seed
        events = RandomEvents(seed: seed, largestBatch: 50)
    }

    /// How the stores of streams are opened: nothing happens but by the calls of the stream.
    package static var configuration: MessageStore.Configuration {
        var configuration = MessageStore.Configuration.ofTests
        configuration.automaticCompaction = nil
        configuration.now = { time }
        return configuration
    }

    /// The next batch, recorded in the model; an erasure that was not noted was without effect.
    package mutating func next() -> [Event] {
        let batch = events.nextBatch(after: model.lastPosition)
        model.record(batch, at: Self.time)
        ends.append(model.lastPosition)
        var random = SplitMix64(seed: seed ^ model.lastPosition.rawValue &* 0x9E37_79B9)
        let last = Int(model.lastPosition.rawValue)
        erasure = nil
        if random.chance(0.06), last > 0 {
            erasure = (0...random.nextIndex(4)).map { _ in Position(UInt64(1 + random.nextIndex(last))) }
        }
        return batch
    }

    /// Notes that another process opens the store: if a session goes on, its end precedes whatever is recorded next.
    package mutating func reopen() { model.reopen() }

    /// Notes that the store recorded the erasure.
    package mutating func erase() {
        guard let events = erasure else { return }
        var wanted = ModelErasure()
        wanted.events = events
        model.erase(wanted, at: Self.time)
        ends.append(model.lastPosition)
        erasures.insert(model.lastPosition)
        erasure = nil
    }

    /// Notes that a compaction cut events off.
    package mutating func cut(_ cut: CrashHistory.Cut) {
        model.cutOff(cut.positions, by: cut.base)
        cuts.append(cut)
    }

    /// Goes on to a store's end; a store that ends within a batch is passed.
    package mutating func advance(to last: Position, _ history: CrashHistory) {
        while true {
            while cuts.count < history.cuts.count, history.cuts[cuts.count].end <= model.lastPosition {
                cut(history.cuts[cuts.count])
            }
            guard model.lastPosition < last else { return }
            var position = model.lastPosition.rawValue + 1
            if history.sessionEnds.contains(Position(position)) {
                sessionEnds.insert(Position(position))
                reopen()
                position += 1
            }
            if erasure != nil, history.erasures.contains(Position(position)) {
                erase()
            } else {
                _ = next()
            }
        }
    }
}

/// What a store erased and cut off. Its log has the erasures; when it cut events off is noted in a file next to it.
package struct CrashHistory: Sendable {
    /// Events that one compaction cut off.
    package struct Cut: Hashable, Sendable {
        /// The end of the log then.
        package let end: Position
        /// The last event for which some were cut off.
        package let base: Position
        package let positions: [Position]

        package init(end: Position, base: Position, positions: [Position]) {
            (self.end, self.base, self.positions) = (end, base, positions)
        }

        /// A line of its own, whatever a crash left before it.
        package var line: String {
            "\n" + ([end, base] + positions).map { "\($0.rawValue)" }.joined(separator: " ") + " .\n"
        }

        fileprivate init?(line: Substring) {
            var words = line.split(separator: " ")
            guard words.popLast() == "." else { return nil }
            let numbers = words.compactMap { UInt64($0) }.map { Position($0) }
            guard numbers.count == words.count, numbers.count > 2 else { return nil }
            self.init(end: numbers[0], base: numbers[1], positions: Array(numbers[2...]))
        }
    }

    package let cuts: [Cut]
    package let erasures: Set<Position>
    /// The ends of sessions that the first process after theirs recorded.
    package let sessionEnds: Set<Position>
    /// Positions that a compaction cut off which nobody noted, since a crash came before.
    package let notNoted: [Position]
    /// Whether the store has events that a note says it cut off.
    package let isUndone: Bool

    /// - Parameters:
    ///   - events: All events of the store.
    ///   - last: Its last position.
    ///   - notes: What the file has.
    package init(_ events: [RecordedEvent], last: Position, notes: String) {
        cuts = notes.split(separator: "\n").compactMap(Cut.init).filter { $0.end <= last }
        erasures = Set(events.lazy.filter { $0.event.payload is ValuesErased }.map(\.position))
        sessionEnds = Set(
            events.lazy.filter { ($0.event.payload as? SessionStateChanged)?.state == .interrupted }.map(\.position))
        let left = Set(events.map(\.position))
        let noted = Set(cuts.flatMap(\.positions))
        let missing = last == .origin ? [] : (1...last.rawValue).map { Position($0) }.filter { !left.contains($0) }
        notNoted = missing.filter { !noted.contains($0) }
        isUndone = missing.count - notNoted.count != noted.count
    }

    /// The file of the notes.
    package static func file(of store: String) -> String { store + ".cuts" }
}
