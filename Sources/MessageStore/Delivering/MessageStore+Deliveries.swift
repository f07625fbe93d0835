internal import Logging
internal import MessageStoreLMDB

extension MessageStore {
    /// Every message as it arrives, kept or not, and every published notice, from now on.
    ///
    /// A message is delivered after its commit, when the views show it, in the order of the log. This account's
    /// messages from its other devices are delivered; repeats that the store recognises and messages of the origin
    /// `history` are not. Plug-ins that have to see what is not kept, such as the signals of a call, listen here. To
    /// receive every kept message, even after a restart, subscribe instead (see ``EventSubscriber``).
    ///
    /// - Parameter count: How many deliveries wait for a slow listener: up to that none is lost, and recording never
    ///   waits. Beyond it the oldest are dropped, ``Deliveries/droppedCount`` counts them, and the first is a warning
    ///   in the log.
    /// - Returns: A sequence of its own for each call; it ends when the store is closed.
    public func deliveries(bufferingNewest count: Int = 100_000) -> Deliveries {
        listeners.stream(bufferingNewest: count)
    }

    /// Delivers a notice to the current listeners; nothing is recorded.
    ///
    /// - Parameters:
    ///   - notice: The notice.
    ///   - conversation: The conversation in which it happened.
    public func publish(_ notice: EphemeralNotice, in conversation: ConversationKey) {
        tell([Delivery(.notice(notice), in: conversation)])
    }

    /// Delivers to the listeners, and logs those that are too slow.
    func tell(_ deliveries: [Delivery]) {
        let late = listeners.tell(deliveries)
        guard late > 0 else { return }
        configuration.logger.warning(
            "listeners to deliveries are too slow; the oldest deliveries are dropped",
            metadata: ["listeners": "\(late)"]
        )
    }
}

/// Those who listen to deliveries.
final class DeliveryListeners: Sendable {
    private struct State {
        var isClosed = false
        var nextID = 0
        var listeners: [Int: Listener] = [:]
    }

    private struct Listener {
        let stream: AsyncStream<Delivery>.Continuation
        let drops: Deliveries.Drops
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    func stream(bufferingNewest count: Int) -> Deliveries {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Delivery.self, bufferingPolicy: .bufferingNewest(max(1, count)))
        let listener = Listener(stream: continuation, drops: Deliveries.Drops())
        let id: Int? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.nextID += 1
            state.listeners[state.nextID] = listener
            return state.nextID
        }
        if let id {
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.listeners[id] = nil }
            }
        } else {
            continuation.finish()
        }
        return Deliveries(stream, listener.drops)
    }

    /// - Returns: How many listeners missed a delivery for the first time.
    @discardableResult
    func tell(_ deliveries: [Delivery]) -> Int {
        let listeners = state.withLock { Array($0.listeners.values) }
        var late = 0
        for listener in listeners {
            for delivery in deliveries {
                if case .dropped = listener.stream.yield(delivery), listener.drops.note() { late += 1 }
            }
        }
        return late
    }

    func finish() {
        let listeners = state.withLock { state in
            defer { (state.isClosed, state.listeners) = (true, [:]) }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.stream.finish() }
    }
}
