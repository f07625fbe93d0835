/// A clock of any type, with its instants told as durations since the timer was made.
struct StoreTimer: Sendable {
    /// The time since the timer was made.
    let now: @Sendable () -> Duration
    /// Waits until a moment; throws when the task is cancelled.
    let sleep: @Sendable (_ deadline: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
