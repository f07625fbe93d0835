internal import Dispatch
public import MessageStore
internal import MessageStoreLMDB
internal import Observation

/// A clock that advances only by hand, for tests of code that depends on time.
///
/// ```swift
/// configuration.clock = clock
/// try store.record(event)
/// await clock.waitForSleeper(until: .seconds(1))
/// clock.advance(by: .seconds(1))
/// ```
public final class ManualClock: Clock, @unchecked Sendable {  // `state` is reached only on `queue`.
    /// A moment, as the time since the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// A moment by its time since the clock was made; by default that very moment.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// This moment and a duration more.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this moment to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether `first` comes before `second`.
        public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private struct State {
        var now = Instant()
        var nextID = 0
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let queue = DispatchQueue(label: "ManualClock")
    private var state = State()

    /// Creates a clock at zero.
    public init() {}

    /// The current time of the clock.
    public var now: Instant { queue.sync { state.now } }
    /// Always zero: every duration is measured exactly.
    public var minimumResolution: Duration { .zero }

    /// Waits until the clock was advanced to `deadline` or past it; returns at once if it was already.
    ///
    /// - Parameters:
    ///   - deadline: Until when.
    ///   - tolerance: Not used.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = nextID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.sync { enter(id, deadline, continuation) }
            }
        } onCancel: {
            queue.sync { state.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func nextID() -> Int {
        queue.sync {
            state.nextID += 1
            return state.nextID
        }
    }

    private func enter(_ id: Int, _ deadline: Instant, _ continuation: CheckedContinuation<Void, any Error>) {
        guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        guard deadline > state.now else { return continuation.resume() }
        state.sleepers[id] = (deadline, continuation)
        for (watcherID, watcher) in state.watchers where watcher.deadline == deadline {
            state.watchers[watcherID] = nil
            watcher.continuation.resume()
        }
    }

    /// Moves the clock and wakes the tasks whose deadline is reached, the earliest first.
    ///
    /// The clock shows the new time before any of them continues.
    ///
    /// - Parameter duration: By how much; negative durations count as zero.
    public func advance(by duration: Duration) {
        queue.sync {
            state.now = state.now.advanced(by: max(.zero, duration))
            let due = state.sleepers.filter { $0.value.deadline <= state.now }.sorted { first, second in
                (first.value.deadline, first.key) < (second.value.deadline, second.key)
            }
            for (id, sleeper) in due {
                state.sleepers[id] = nil
                sleeper.continuation.resume()
            }
        }
    }

    /// Waits until a task sleeps until exactly a moment; returns at once if one does, or when this task is cancelled.
    ///
    /// - Parameter offset: The moment, as the time since the clock was made.
    public func waitForSleeper(until offset: Duration) async {
        let deadline = Instant(offset: offset)
        let id = nextID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.sync {
                    let isThere = state.sleepers.values.contains { $0.deadline == deadline }
                    guard !isThere, !Task.isCancelled else { return continuation.resume() }
                    state.watchers[id] = (deadline, continuation)
                }
            }
        } onCancel: {
            queue.sync { state.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}

/// A wall clock that moves only by hand, forwards or backwards; it provides the recorded time of events.
///
/// Time that passes by ``move(byMilliseconds:)`` passes on ``clock`` too, so that events that wait for it, such as the
/// end of a message's timer, happen. ``set(_:)`` is a device whose clock is set.
///
/// ```swift
/// configuration.now = { time.now }
/// ```
public final class ManualTime: Sendable {
    /// The clock for a store's delays and time-outs.
    public let clock = MovableClock()
    private let milliseconds: Locked<Int64>

    /// Creates a clock at a time.
    public init(startingAt time: Timestamp = Timestamp(milliseconds: 1_700_000_000_000)) {
        milliseconds = Locked(time.milliseconds)
    }

    /// The moment.
    public var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    /// Lets milliseconds pass; a negative number sets the clock back, never before the first millisecond.
    public func move(byMilliseconds amount: Int64) {
        // Both at once: who reads one after the other meets no time at which one alone was moved.
        milliseconds.withLock {
            $0 = max(1, $0.addingReportingOverflow(amount).partialValue)
            clock.advance(by: .milliseconds(amount))
        }
    }

    /// Sets the clock to a moment; no time passes.
    public func set(_ time: Timestamp) { milliseconds.withLock { $0 = time.milliseconds } }
}

/// A clock that runs as the system's does, and that a test can move ahead: ``ManualTime`` moves it.
///
/// A task that sleeps until a moment which the clock passes by being moved is woken at once.
public final class MovableClock: Clock {
    /// A moment, as the time since the clock was made.
    public typealias Instant = ManualClock.Instant

    private let start = ContinuousClock.now
    private let moved = Watched(Duration.zero)

    /// Creates a clock at zero.
    public init() {}

    /// The time that has passed, and by how much the clock was moved.
    public var now: Instant { Instant(offset: moved.value + start.duration(to: .now)) }
    /// As the system's.
    public var minimumResolution: Duration { ContinuousClock().minimumResolution }

    /// Moves the clock ahead.
    ///
    /// - Parameter duration: By how much; negative durations count as zero.
    public func advance(by duration: Duration) { moved.change { $0 += max(.zero, duration) } }

    /// Waits until a moment; returns at once if it has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        while true {
            try Task.checkCancellation()
            let before = moved.value
            let rest = deadline.offset - before - start.duration(to: .now)
            if rest <= .zero { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await ContinuousClock().sleep(for: rest, tolerance: tolerance) }
                group.addTask { await self.moved.wait { $0 != before } }
                try await group.next()
            }
        }
    }
}

/// Waits until a condition of an observable model holds, which is evaluated again after each change of a property that
/// it reads.
///
/// ```swift
/// try await until { model.messages.map(\.text) == ["hello"] }
/// ```
///
/// - Parameters:
///   - isolation: The actor of the model, on which the condition is evaluated.
///   - condition: Reads properties of types that are `@Observable`; a change of anything else wakes nothing.
/// - Throws: `CancellationError` when the task is cancelled, as by a test's `.timeLimit`.
public func until(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async throws {
    while true {
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        guard !withObservationTracking(condition, onChange: { change.yield() }) else { return }
        for await _ in changes { break }
        try Task.checkCancellation()
    }
}
