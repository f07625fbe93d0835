internal import MessageStoreLMDB

extension MessageStore {
    /// Every message as it arrives, kept or not, and every published notice, from now on.
    ///
    /// A message is delivered after its commit, when the views show it, in the order of the log. This account's
    /// messages from its other devices are delivered; repeats that the store recognises and messages of the origin
    /// `history` are not. To receive every kept message, even after a restart, subscribe instead (see
    /// ``EventSubscriber``).
    ///
    /// - Parameter count: How many deliveries wait for a slow listener; beyond that the oldest are dropped.
    /// - Returns: A stream of its own for each call; it ends when the store is closed.
    public func deliveries(bufferingNewest count: Int = 1000) -> AsyncStream<Delivery> {
        listeners.stream(bufferingNewest: count)
    }

    /// Delivers a notice to the current listeners; nothing is recorded.
    ///
    /// - Parameters:
    ///   - notice: The notice.
    ///   - conversation: The conversation in which it happened.
    public func publish(_ notice: EphemeralNotice, in conversation: ConversationKey) {
        listeners.tell([Delivery(.notice(notice), in: conversation)])
    }
}

/// Those who listen to deliveries.
final class DeliveryListeners: Sendable {
    private struct State {
        var isClosed = false
        var nextID = 0
        var streams: [Int: AsyncStream<Delivery>.Continuation] = [:]
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

    func stream(bufferingNewest count: Int) -> AsyncStream<Delivery> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Delivery.self, bufferingPolicy: .bufferingNewest(max(1, count)))
        let id: Int? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.nextID += 1
            state.streams[state.nextID] = continuation
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.streams[id] = nil }
        }
        return stream
    }

    func tell(_ deliveries: [Delivery]) {
        let streams = state.withLock { $0.streams.values.map { $0 } }
        for stream in streams {
            for delivery in deliveries { stream.yield(delivery) }
        }
    }

    func finish() {
        let streams = state.withLock { state in
            defer { (state.isClosed, state.streams) = (true, [:]) }
            return state.streams.values.map { $0 }
        }
        for stream in streams { stream.finish() }
    }
}
