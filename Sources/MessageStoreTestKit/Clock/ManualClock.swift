internal import Dispatch

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

    /// Waits until the clock was advanced to `deadline` or past it; returns at once where it was already.
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

    /// Waits until a task sleeps until exactly a moment; returns at once where one does, or when this task is cancelled.
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
