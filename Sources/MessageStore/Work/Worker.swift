internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

/// A job in the background: one look at a time, on a queue, at the earliest moment that somebody asked for.
///
/// A failure is logged once until a look succeeds; a rebuild that is under way is none.
final class Worker: Sendable {
    /// Does the work that is due.
    ///
    /// - Returns: When the next look comes by itself, by the scheduler; nil: when somebody asks for one.
    typealias Look = @Sendable (MessageStore) throws -> Duration?

    private struct State: Sendable {
        /// When the next look comes.
        var next: Duration?
        /// Whether it is on the queue, and waits for no time.
        var isQueued = false
        var isOn = true
        var isFailureLogged = false
    }

    let queue: DispatchQueue
    private let failure: String
    private let metadata: Logger.Metadata
    private let retry: Duration?
    private let state = Locked(State())

    /// - Parameters:
    ///   - failure: The message of the log if a look fails.
    ///   - metadata: Goes with it, and with the error.
    ///   - retry: After how long a look that failed is repeated; nil: when somebody asks for one.
    init(
        on queue: DispatchQueue, failure: String, metadata: Logger.Metadata = [:], retry: Duration? = nil
    ) {
        (self.queue, self.failure, self.metadata, self.retry) = (queue, failure, metadata, retry)
    }

    convenience init(
        _ label: String, qos: DispatchQoS = .utility, failure: String, metadata: Logger.Metadata = [:],
        retry: Duration? = nil
    ) {
        self.init(on: DispatchQueue(label: label, qos: qos), failure: failure, metadata: metadata, retry: retry)
    }

    /// Sees to it that a look begins after a delay at the latest.
    func wake(_ store: MessageStore, after delay: Duration = .zero, _ look: @escaping Look) {
        wake(store, at: store.scheduler.now + delay, look)
    }

    /// Sees to it that a look begins at a moment of the scheduler at the latest.
    func wake(_ store: MessageStore, at moment: Duration, _ look: @escaping Look) {
        let isDue = moment <= store.scheduler.now
        let isEarlier = state.withLock { state in
            // A timer whose time has come may still be on its way to the queue.
            guard state.isOn, isDue ? !state.isQueued : state.next.map({ moment < $0 }) ?? true else { return false }
            (state.next, state.isQueued) = (moment, isDue)
            return true
        }
        guard isEarlier else { return }
        let body: @Sendable () -> Void = { [weak self, weak store] in
            guard let self, let store else { return }
            self.look(store, at: moment, look)
        }
        if isDue {
            queue.async(execute: body)
        } else {
            store.scheduler.run(at: moment, on: queue, body)
        }
    }

    /// Looks now, and waits for it.
    func lookNow(_ store: MessageStore, _ look: @escaping Look) {
        let moment = store.scheduler.now
        state.withLock { $0.next = moment }
        queue.sync { self.look(store, at: moment, look) }
    }

    private func look(_ store: MessageStore, at moment: Duration, _ look: @escaping Look) {
        let isNext = state.withLock { state in
            guard state.isOn, state.next == moment else { return false }
            (state.next, state.isQueued) = (nil, false)
            return true
        }
        guard isNext else { return }
        do {
            let next = try look(store)
            state.withLock { $0.isFailureLogged = false }
            if let next { wake(store, at: next, look) }
        } catch let error as StoreError where error.isOfClosedStore {
            // The next opening continues.
        } catch {
            log(error, store)
            if let retry { wake(store, after: retry, look) }
        }
    }

    /// Logs a failure, once until a look succeeds.
    func log(_ error: any Error, _ store: MessageStore) {
        guard (error as? StoreError)?.code != .rebuilding else { return }
        let isNew = state.withLock { state in
            defer { state.isFailureLogged = true }
            return !state.isFailureLogged
        }
        guard isNew else { return }
        store.configuration.logger.warning("\(failure)", metadata: metadata.merging(["error": "\(error)"]) { $1 })
    }

    /// Begins no look any more, and waits for the one that is going on.
    func finish() {
        state.withLock { ($0.isOn, $0.next, $0.isQueued) = (false, nil, false) }
        queue.sync {}
    }

    /// Looks again when somebody asks, after ``finish()``.
    func resume() { state.withLock { ($0.isOn, $0.isFailureLogged) = (true, false) } }
}
