public import MessageStore
internal import MessageStoreLMDB

/// A wall clock that moves only by hand, forwards or backwards; it provides the recorded time of events.
///
/// ```swift
/// configuration.now = { time.now }
/// ```
public final class ManualTime: Sendable {
    private let milliseconds: Locked<Int64>

    /// Creates a clock at a time.
    public init(startingAt time: Timestamp = Timestamp(milliseconds: 1_700_000_000_000)) {
        milliseconds = Locked(time.milliseconds)
    }

    /// The moment.
    public var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    /// Moves by milliseconds; never before the first millisecond.
    public func move(byMilliseconds amount: Int64) {
        milliseconds.withLock { $0 = max(1, $0.addingReportingOverflow(amount).partialValue) }
    }

    /// Moves to a moment.
    public func set(_ time: Timestamp) { milliseconds.withLock { $0 = time.milliseconds } }
}
