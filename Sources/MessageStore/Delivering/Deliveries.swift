internal import MessageStoreLMDB

/// The deliveries to one listener, in order; see ``MessageStore/deliveries(bufferingNewest:)``.
///
/// One task goes through it. It ends when the store is closed.
public struct Deliveries: AsyncSequence, Sendable {
    /// A delivery.
    public typealias Element = Delivery
    /// Nothing is thrown.
    public typealias Failure = Never
    /// Gives the deliveries one by one.
    public typealias AsyncIterator = AsyncStream<Delivery>.AsyncIterator

    private let stream: AsyncStream<Delivery>
    private let drops: Drops

    init(_ stream: AsyncStream<Delivery>, _ drops: Drops) {
        self.stream = stream
        self.drops = drops
    }

    /// How many deliveries were dropped so far because more were waiting than the buffer holds: 0 means that every
    /// delivery was made or is waiting.
    public var droppedCount: Int { drops.count }

    /// Begins, or continues where another iterator stopped.
    public func makeAsyncIterator() -> AsyncIterator { stream.makeAsyncIterator() }

    /// Counts what a listener missed.
    final class Drops: Sendable {
        private let state = Locked(0)

        var count: Int { state.withLock { $0 } }

        /// - Returns: Whether it was the first.
        func note() -> Bool {
            state.withLock { count in
                count += 1
                return count == 1
            }
        }
    }
}
