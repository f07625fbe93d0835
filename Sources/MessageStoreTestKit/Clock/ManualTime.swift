public import MessageStore
internal import MessageStoreLMDB

/// A wall clock that moves only by hand, forwards or backwards; it provides the recorded time of events.
///
/// Time that passes by ``move(byMilliseconds:)`` passes on ``clock`` too, so that what waits for it, such as the end of a
/// message's timer, happens. ``set(_:)`` is a device whose clock is set.
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
