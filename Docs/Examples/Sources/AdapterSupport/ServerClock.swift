import MessageStore
import Synchronization

/// The clock of a server in memory, a second later whenever it is asked for a new time; the stores of a sample follow it.
package final class ServerClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_700_000_000_000)

    /// Creates a clock.
    package init() {}

    /// The time that was given out last.
    package var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    /// A second later than any time before.
    package func next() -> Timestamp {
        Timestamp(
            milliseconds: milliseconds.withLock { time in
                time += 1_000
                return time
            })
    }
}
