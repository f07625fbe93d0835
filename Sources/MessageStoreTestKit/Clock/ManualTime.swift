public import MessageStore
internal import MessageStoreLMDB

/// A wall clock that stands still until it is moved, backwards as well; events are stamped by it.
///
/// ```swift
/// configuration.now = { time.now }
/// ```
public final class ManualTime: Sendable {
    private let milliseconds: Locked<Int64>

    /// A clock that stands at a moment.
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
