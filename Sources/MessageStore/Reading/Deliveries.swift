internal import Logging
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

    /// Counts the deliveries that a listener missed.
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

/// A message as it arrived, or a notice that is never recorded.
public struct Delivery: Sendable, Hashable {
    /// The delivered message or notice.
    public enum Payload: Sendable, Hashable {
        /// A message arrived. The position is nil if its policy says that it is not stored.
        case message(Event, position: Position?)
        /// A notice that is not stored.
        case notice(EphemeralNotice)
    }

    /// The delivered message or notice.
    public let payload: Payload
    /// The conversation in which it happened.
    public let conversation: ConversationKey
    /// How many messages of the same package or batch are delivered after this one; 0 is the moment to refresh.
    public let remaining: Int

    /// Creates a delivery, for previews and tests.
    public init(_ payload: Payload, in conversation: ConversationKey, remaining: Int = 0) {
        self.payload = payload
        self.conversation = conversation
        self.remaining = remaining
    }

    /// Whether the store keeps nothing of it.
    public var isTransient: Bool {
        if case .message(_, .some) = payload { return false }
        return true
    }
}

/// A short-lived notice, delivered to current listeners and never recorded.
public enum EphemeralNotice: Sendable, Hashable {
    /// A user is typing.
    case typing(UserID)
    /// How much of a message's file is sent, from 0 to 1.
    case uploadProgress(LocalMessageID, fraction: Double)
    /// How many users a chat room has now.
    case onlineCount(Int)
}

extension MessageStore {
    /// Every message as it arrives, kept or not, and every published notice, from now on.
    ///
    /// A message is delivered after its commit, when the views show it, in the order of the log. This account's
    /// messages from its other devices are delivered; repeats that the store recognises and messages of the origin
    /// `history` are not. Plug-ins that have to see events that are not kept, such as the signals of a call, listen
    /// here. To receive every kept message, even after a restart, subscribe instead (see ``EventSubscriber``).
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

    /// Delivers to the listeners, and logs the ones that are too slow.
    func tell(_ deliveries: [Delivery]) {
        let late = listeners.tell(deliveries)
        guard late > 0 else { return }
        configuration.logger.warning(
            "listeners to deliveries are too slow; the oldest deliveries are dropped",
            metadata: ["listeners": "\(late)"]
        )
    }
}

/// The listeners to deliveries.
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
