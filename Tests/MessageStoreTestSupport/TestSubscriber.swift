import MessageStore
import MessageStoreLMDB

/// A subscriber that answers as a closure says and notes what it was handed.
final class TestSubscriber: EventSubscriber {
    struct Refused: Error {}

    let name: String
    let filter: EventFilter
    private let seen = Locked<[Position]>([])
    private let answer: @Sendable (_ event: RecordedEvent, _ call: Int) async throws -> SubscriberAnswer

    init(
        _ name: String = "s", filter: EventFilter = .all,
        _ answer: @escaping @Sendable (_ event: RecordedEvent, _ call: Int) async throws -> SubscriberAnswer = {
            _, _ in .handled
        }
    ) {
        self.name = name
        self.filter = filter
        self.answer = answer
    }

    /// The positions that it was handed, repeats included.
    var positions: [UInt64] { seen.withLock { $0.map(\.rawValue) } }

    func handle(_ event: RecordedEvent) async throws -> SubscriberAnswer {
        let call = seen.withLock { seen in
            seen.append(event.position)
            return seen.count
        }
        return try await answer(event, call)
    }
}

/// A clock that notes what is slept: sleeps shorter than 20 s end at once, longer ones when they are cancelled.
final class SleepNotingClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private let noted = Locked<[Duration]>([])

    /// The sleeps that have ended.
    var sleeps: [Duration] { noted.withLock { $0 } }
    var now: Instant { Instant() }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard deadline.offset < .seconds(20) else { return try await Task.sleep(for: .seconds(86_400)) }
        noted.withLock { $0.append(deadline.offset) }
        await Task.yield()
    }
}

/// Lets other tasks run until `condition` holds; the test's time limit ends what never comes true.
func eventually(_ condition: () throws -> Bool) async rethrows {
    while try !condition(), !Task.isCancelled { await Task.yield() }
}
