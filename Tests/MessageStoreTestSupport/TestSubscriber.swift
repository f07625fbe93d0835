import MessageStoreLMDB

@testable import MessageStore

/// A subscriber that answers as a closure says and notes what it was handed.
final class TestSubscriber: EventSubscriber {
    struct Refused: Error {}

    let name: String
    let filter: EventFilter
    let seen = Watched<[Position]>([])
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
    var positions: [UInt64] { seen.value.map(\.rawValue) }

    func handle(_ event: RecordedEvent) async throws -> SubscriberAnswer {
        let call = seen.change { seen in
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
    private let never = ManualClock()

    /// The sleeps that have ended.
    var sleeps: [Duration] { noted.withLock { $0 } }
    var now: Instant { Instant() }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard deadline.offset < .seconds(20) else { return try await never.sleep(for: .seconds(1)) }
        noted.withLock { $0.append(deadline.offset) }
    }
}

extension Subscription {
    /// Waits until every event up to a position is done, or the subscription has ended.
    func reaches(_ position: UInt64) async { await wait { $0.status.position >= Position(position) } }

    /// Waits until the log has a position as its checkpoint, or the subscription has ended.
    func saves(_ position: UInt64) async { await wait { $0.saved >= Position(position) } }
}
