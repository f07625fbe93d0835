internal import Logging
internal import MessageStoreLMDB

/// A running subscription. It lives until it is cancelled, fails permanently, or the store is closed; it need not be
/// held.
///
/// A live subscription keeps its store alive.
public final class Subscription: Sendable {
    /// The progress of a subscription.
    public struct Status: Sendable {
        /// Every event up to here is done.
        public internal(set) var position: Position
        /// Events that the subscriber handled.
        public internal(set) var handled = 0
        /// Events that it ignored.
        public internal(set) var ignored = 0
        /// How often it requested an event again.
        public internal(set) var retries = 0
        /// How often it threw or timed out.
        public internal(set) var failures = 0
        /// Events given up after their last failure (`FailurePolicy.skip`).
        public internal(set) var skipped = 0
        /// Whether it still receives events.
        public internal(set) var isLive = true
        /// The error that ended the subscription, if it failed.
        public internal(set) var error: (any Error)?
    }

    struct State {
        var status: Status
        /// The position that the log has.
        var saved: Position
        /// Events answered since.
        var unsaved = 0
        var task: Task<Void, Never>?
        /// Whether the name is free again.
        var isReleased = false
        var waiting: [Waiter] = []
    }

    struct Waiter {
        let isReached: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Events answered, or positions passed, between two writes of the checkpoint.
    static let checkpointInterval = 256

    /// The subscriber's name.
    public let name: String
    let options: SubscriptionOptions
    let subscriber: any EventSubscriber
    let store: MessageStore
    let state: Locked<State>

    init(
        _ subscriber: any EventSubscriber, named name: String, _ options: SubscriptionOptions,
        after position: Position, of store: MessageStore
    ) {
        self.name = name
        self.subscriber = subscriber
        self.options = options
        self.store = store
        state = Locked(State(status: Status(position: position), saved: position))
    }

    /// The progress of the subscription.
    public var status: Status { state.withLock { $0.status } }

    /// Every event up to here is done; the checkpoint follows.
    public var position: Position { status.position }

    /// Ends the subscription and writes its checkpoint. The name is free when this returns.
    ///
    /// An event that is being handled counts as not handled and is delivered again to the next subscription. May be
    /// called by the subscriber itself; calling it again is harmless.
    public func cancel() {
        guard finish(nil) else { return }
        do {
            try save()
        } catch {
            warn("writing a checkpoint failed", error)
        }
        release()
    }

    /// Waits until the subscription has ended and its name is free; see ``Status/error`` for why it ended.
    public func waitUntilEnded() async { await wait { _ in false } }
}

extension Subscription {
    /// Changes the state, and wakes waiters whose condition holds then; nothing more comes once the name is free.
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, reached) = state.withLock { state -> (Result, [Waiter]) in
            let result = body(&state)
            guard !state.waiting.isEmpty else { return (result, []) }
            let isOver = { [state] (waiter: Waiter) in state.isReleased || waiter.isReached(state) }
            defer { state.waiting.removeAll(where: isOver) }
            return (result, state.waiting.filter(isOver))
        }
        for waiter in reached { waiter.continuation.resume() }
        return result
    }

    /// Waits until a condition holds, or the subscription has ended and its name is free.
    func wait(until isReached: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                let isOver = state.isReleased || isReached(state)
                if !isOver { state.waiting.append(Waiter(isReached: isReached, continuation: continuation)) }
                return isOver
            }
            if isOver { continuation.resume() }
        }
    }

    /// Begins to hand over events.
    func start() {
        let task = Task { await self.run() }
        let isLive = state.withLock { state in
            state.task = task
            return state.status.isLive
        }
        if !isLive { task.cancel() }
    }

    /// Writes the checkpoint; the store's writer lock is held.
    func save(in log: EventLog) throws {
        let (position, saved) = state.withLock { ($0.status.position, $0.saved) }
        guard position > saved else { return }
        try log.setSubscriptionPosition(position, of: name)
        change { state in
            state.saved = position
            state.unsaved = 0
        }
    }

    /// Lets no further answer count, unless it has ended; answers whether this ended it.
    @discardableResult
    func finish(_ error: (any Error)?) -> Bool {
        let (isFirst, task) = state.withLock { state in
            defer { state.status.isLive = false }
            if state.status.isLive { state.status.error = error }
            return (state.status.isLive, state.task)
        }
        if isFirst { task?.cancel() }
        return isFirst
    }

    /// Gives the name back.
    func release() {
        store.subscriptions.remove(self)
        change { $0.isReleased = true }
    }

    /// The log is asked for inside the lock, so that none is held once the store is closed.
    func save() throws {
        try StoreError.translating {
            try store.writer.withLock { _ throws in try save(in: store.openedForWriting().log) }
        }
    }

    func saveInBackground() async {
        do {
            try await store.run(on: store.writeQueue) { [self] in try save() }
        } catch let error as StoreError where error.isOfClosedStore {
            // Closing wrote the checkpoint.
        } catch is CancellationError {
            // Cancelling wrote it.
        } catch {
            warn("writing a checkpoint failed", error)
        }
    }

    func warn(_ what: Logger.Message, _ error: any Error) {
        store.configuration.logger.warning(what, metadata: ["subscriber": "\(name)", "error": "\(error)"])
    }
}

extension Subscription {
    /// Hands over events until the subscription ends.
    func run() async {
        var events = EventTail.Iterator(store: store, reached: position, filter: subscriber.filter)
        var failure: (any Error)?
        do {
            while let event = try await events.next(whenCaughtUp: { await self.pass(to: $0) }) {
                try await deliver(event)
            }
        } catch {
            failure = error
        }
        if let failure { warn("a subscriber failed", failure) }
        await saveInBackground()
        finish(failure)
        release()
    }

    /// Hands an event over until it is done with; throws if it never will be.
    private func deliver(_ event: RecordedEvent) async throws {
        var failures = 0
        var delay = options.retryDelay
        while !Task.isCancelled {
            let deadline = store.scheduler.now + options.timeout
            let answer = await store.scheduler.firstAnswer(until: deadline) { [subscriber] in
                try await subscriber.handle(event)
            }
            switch answer {
            case .success(.handled): return await advance(to: event.position) { $0.handled += 1 }
            case .success(.ignored): return await advance(to: event.position) { $0.ignored += 1 }
            case .success(.retry): count { $0.retries += 1 }
            case .failure, nil:
                guard !Task.isCancelled else { return }
                failures += 1
                count { $0.failures += 1 }
            }
            if failures >= max(1, options.attempts) {
                guard options.onFailure == .skip else { throw Self.error(of: answer, at: event.position) }
                return await advance(to: event.position) { $0.skipped += 1 }
            }
            try? await store.scheduler.sleep(for: delay)
            delay = min(delay * 2, options.maximumRetryDelay)
        }
    }

    private static func error(of answer: Result<SubscriberAnswer, any Error>?, at position: Position) -> any Error {
        if case .failure(let error) = answer { return error }
        return StoreError(.hookFailed, "the subscriber did not answer in time", position: position)
    }

    /// Counts, unless the subscription has ended meanwhile.
    private func count(_ count: (inout Status) -> Void) {
        change { state in
            if state.status.isLive { count(&state.status) }
        }
    }

    /// An event is done with.
    private func advance(to position: Position, _ count: (inout Status) -> Void) async {
        let isDue = change { state in
            guard state.status.isLive else { return false }
            state.status.position = position
            count(&state.status)
            state.unsaved += 1
            return state.unsaved >= Self.checkpointInterval
        }
        if isDue { await saveInBackground() }
    }

    /// Nothing up to `position` is left for the subscriber.
    private func pass(to position: Position) async {
        let isDue = change { state in
            guard state.status.isLive else { return false }
            state.status.position = max(state.status.position, position)
            let passed = state.status.position.rawValue - state.saved.rawValue
            return state.unsaved > 0 || passed >= UInt64(Self.checkpointInterval)
        }
        if isDue { await saveInBackground() }
    }
}

/// A part of a host that must see every event, including those recorded while it was not running.
///
/// Subscribers are independent. Each has a name, under which its checkpoint is kept in the log across restarts. Events
/// are delivered in order, one at a time, at least once. After a crash, up to 256 events are delivered again, and so is
/// an event whose handling was cancelled or timed out. If that matters, store the position of the last event handled.
public protocol EventSubscriber: Sendable {
    /// The name of its checkpoint, 1 to 255 UTF-8 bytes; must never change.
    var name: String { get }
    /// The events to deliver. Default: all.
    var filter: EventFilter { get }
    /// Handles one event. May record, read and cancel its subscription; should not block its thread.
    ///
    /// A handler that times out is cancelled. If it continues nevertheless, it may still run when the event is
    /// delivered again.
    ///
    /// - Parameter event: The event.
    /// - Returns: The result.
    /// - Throws: Any error; the event is delivered again after a delay.
    func handle(_ event: RecordedEvent) async throws -> SubscriberAnswer
}

extension EventSubscriber {
    /// All events.
    public var filter: EventFilter { .all }
}

/// The result of handling an event.
public enum SubscriberAnswer: Sendable, Hashable {
    /// The event was handled.
    case handled
    /// The event does not concern the subscriber.
    case ignored
    /// The same event is delivered again after a delay, any number of times. This is not a failure.
    case retry
}

/// The start of a subscriber without a checkpoint.
public enum SubscriptionStart: Sendable, Hashable {
    /// With the log's first event.
    case beginning
    /// With the next event that is recorded.
    case end
}

/// How failures and timeouts of a subscriber are handled.
public struct SubscriptionOptions: Sendable, Hashable {
    /// The time within which a subscriber must handle an event.
    public var timeout = Duration.seconds(30)
    /// The total number of attempts to deliver an event that fails.
    public var attempts = 8
    /// The delay before an event is delivered again; doubled each time.
    public var retryDelay = Duration.seconds(1)
    /// The longest such delay.
    public var maximumRetryDelay = Duration.seconds(60)
    /// The action after all attempts have failed. Default: `.stop`.
    public var onFailure = FailurePolicy.stop

    /// The defaults.
    public init() {}
}
