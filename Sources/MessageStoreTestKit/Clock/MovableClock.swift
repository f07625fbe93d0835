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
