import MessageStore
import MessageStoreLMDB

/// A clock that stands still until a test moves it, backwards as well.
final class TestClock: Sendable {
    private let milliseconds: Locked<Int64>

    init(startingAt milliseconds: Int64 = 1_000_000) {
        self.milliseconds = Locked(milliseconds)
    }

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    func advance(byMs amount: Int64) { milliseconds.withLock { $0 += amount } }
    func move(by amount: Int64) { milliseconds.withLock { $0 = max(1, $0 + amount) } }
    func set(_ time: Timestamp) { milliseconds.withLock { $0 = time.milliseconds } }
}
