internal import Logging
internal import MessageStoreLMDB

/// A subscriber at work. It lives until it is cancelled, fails for good, or the store is closed; it need not be held.
///
/// A live subscription keeps its store alive.
public final class Subscription: Sendable {
    /// How far a subscription has come.
    public struct Status: Sendable {
        /// Every event up to here is done with.
        public fileprivate(set) var position: Position
        /// Events that the subscriber handled.
        public fileprivate(set) var handled = 0
        /// Events that it passed over.
        public fileprivate(set) var ignored = 0
        /// How often it asked for an event again.
        public fileprivate(set) var retries = 0
        /// How often it threw or was too late.
        public fileprivate(set) var failures = 0
        /// Events given up after their last failure (`SubscriptionOptions.FailurePolicy.skip`).
        public fileprivate(set) var skipped = 0
        /// Whether further events come.
        public fileprivate(set) var isLive = true
        /// What ended the subscription, where it failed.
        public fileprivate(set) var error: (any Error)?
    }

    private struct State {
        var status: Status
        /// The position that the log has.
        var saved: Position
        /// Events answered since.
        var unsaved = 0
        var task: Task<Void, Never>?
        /// Whether the name is free again.
        var isReleased = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Events answered, or positions passed, between two writes of the checkpoint.
    private static let checkpointInterval = 256

    /// The subscriber's name.
    public let name: String
    let options: SubscriptionOptions
    private let subscriber: any EventSubscriber
    private let store: MessageStore
    private let state: Locked<State>

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

    /// How far it has come.
    public var status: Status { state.withLock { $0.status } }

    /// Every event up to here is done with; the checkpoint follows.
    public var position: Position { status.position }

    /// Ends the subscription and writes its checkpoint. The name is free when this returns.
    ///
    /// An event that is being handled counts as not handled and comes again with the next subscription. May be called
    /// by the subscriber itself; calling it again is harmless.
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
    public func waitUntilEnded() async {
        await withCheckedContinuation { continuation in
            let isReleased = state.withLock { state in
                if !state.isReleased { state.waiting.append(continuation) }
                return state.isReleased
            }
            if isReleased { continuation.resume() }
        }
    }
}

extension Subscription {
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
        state.withLock { state in
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
        let waiting = state.withLock { state in
            defer { (state.isReleased, state.waiting) = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func run() async {
        var events = store.tail(after: position, where: subscriber.filter).makeAsyncIterator()
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

    /// Hands an event over until it is done with; throws where it never will be.
    private func deliver(_ event: RecordedEvent) async throws {
        var failures = 0
        var delay = options.retryDelay
        let clock = store.configuration.clock
        while !Task.isCancelled {
            let answer = await FirstAnswer.of(timeout: options.timeout, clock: clock) { [subscriber] in
                try await subscriber.handle(event)
            }
            switch answer {
            case .success(.handled): return await advance(to: event.position) { $0.handled += 1 }
            case .success(.ignored): return await advance(to: event.position) { $0.ignored += 1 }
            case .success(.retry): change { $0.retries += 1 }
            case .failure, nil:
                guard !Task.isCancelled else { return }
                failures += 1
                change { $0.failures += 1 }
            }
            if failures >= options.attempts {
                guard options.onFailure == .skip else { throw Self.error(of: answer, at: event.position) }
                return await advance(to: event.position) { $0.skipped += 1 }
            }
            try? await clock.sleep(for: delay)
            delay = min(delay * 2, options.maximumRetryDelay)
        }
    }

    private static func error(of answer: Result<SubscriberAnswer, any Error>?, at position: Position) -> any Error {
        if case .failure(let error) = answer { return error }
        return StoreError(.hookFailed, "the subscriber did not answer in time", position: position)
    }

    /// Counts, unless the subscription has ended meanwhile.
    private func change(_ count: (inout Status) -> Void) {
        state.withLock { state in
            if state.status.isLive { count(&state.status) }
        }
    }

    /// An event is done with.
    private func advance(to position: Position, _ count: (inout Status) -> Void) async {
        let isDue = state.withLock { state in
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
        let isDue = state.withLock { state in
            guard state.status.isLive else { return false }
            state.status.position = max(state.status.position, position)
            let passed = state.status.position.rawValue - state.saved.rawValue
            return state.unsaved > 0 || passed >= UInt64(Self.checkpointInterval)
        }
        if isDue { await saveInBackground() }
    }

    /// The log is asked for inside the lock, so that none is held once the store is closed.
    private func save() throws {
        try store.writer.withLock { _ throws in try save(in: store.openedForWriting().log) }
    }

    private func saveInBackground() async {
        do {
            try await store.run(on: store.writeQueue) { [self] in try save() }
        } catch let error as StoreError where error.code == .closed {
            // Closing wrote the checkpoint.
        } catch {
            warn("writing a checkpoint failed", error)
        }
    }

    private func warn(_ what: Logger.Message, _ error: any Error) {
        store.configuration.logger.warning(what, metadata: ["subscriber": "\(name)", "error": "\(error)"])
    }
}
