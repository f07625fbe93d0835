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

    fileprivate struct State: Sendable {
        var isOn = true
        /// When the next look comes.
        var next: Duration?
        /// Whether a look is on the queue, and waits for no time.
        var isQueued = false
        /// The earliest timer that is running.
        var timer: Duration?
        /// Looks wait until then, after a failure.
        var earliest = Duration.zero
        /// Whether the look that is going on has done nothing.
        var isUndone = false
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
        let now = store.scheduler.now
        wake(store, at: now + delay, now: now, look)
    }

    /// Sees to it that a look begins at a moment of the scheduler at the latest, unless one failed a while ago.
    ///
    /// - Parameter now: The scheduler's time, if the caller has asked for it.
    func wake(_ store: MessageStore, at moment: Duration, now: Duration? = nil, _ look: @escaping Look) {
        let now = now ?? store.scheduler.now
        let (isQueued, timer) = state.withLock { state -> (Bool, Duration?) in
            let moment = max(moment, state.earliest)
            guard state.isOn else { return (false, nil) }
            // A timer whose time has come may still be on its way to the queue.
            if moment <= now {
                defer { (state.next, state.isQueued) = (now, true) }
                return (!state.isQueued, nil)
            }
            guard state.next.map({ moment < $0 }) ?? true else { return (false, nil) }
            state.next = moment
            return (false, state.newTimer())
        }
        if isQueued { queue.async { [weak self, weak store] in self?.look(store, after: nil, look) } }
        if let timer { start(timer, store, look) }
    }

    private func start(_ timer: Duration, _ store: MessageStore, _ look: @escaping Look) {
        store.scheduler.run(at: timer, on: queue) { [weak self, weak store] in self?.look(store, after: timer, look) }
    }

    /// Looks now, and waits for it.
    func lookNow(_ store: MessageStore, _ look: @escaping Look) {
        queue.sync {
            state.withLock { $0.next = store.scheduler.now }
            self.look(store, after: nil, look)
        }
    }

    /// Looks, if it is time.
    ///
    /// - Parameter timer: The timer that ended; nil for a look that waited for none.
    private func look(_ store: MessageStore?, after timer: Duration?, _ look: @escaping Look) {
        guard let store else { return }
        let now = store.scheduler.now
        let (isDue, rest) = state.withLock { state -> (Bool, Duration?) in
            if timer == nil { state.isQueued = false } else if state.timer == timer { state.timer = nil }
            guard state.isOn, let next = state.next else { return (false, nil) }
            guard next <= now else { return (false, state.newTimer()) }
            (state.next, state.isUndone) = (nil, false)
            return (true, nil)
        }
        if let rest { start(rest, store, look) }
        guard isDue else { return }
        do {
            let next = try look(store)
            state.withLock { state in
                if !state.isUndone { (state.isFailureLogged, state.earliest) = (false, .zero) }
            }
            if let next { wake(store, at: next, look) }
        } catch let error as StoreError where error.isOfClosedStore {
            // The next opening continues.
        } catch {
            log(error, store)
            guard let retry else { return }
            let moment = store.scheduler.now + retry
            state.withLock { $0.earliest = moment }
            wake(store, at: moment, look)
        }
    }

    /// Notes that the look that is going on has done nothing, and so says nothing of an earlier failure.
    func skip() { state.withLock { $0.isUndone = true } }

    /// Logs a failure, once until a look succeeds.
    func log(_ error: any Error, _ store: MessageStore) {
        skip()
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
        state.withLock { ($0.isOn, $0.next) = (false, nil) }
        queue.sync {}
    }

    /// Looks again when somebody asks, after ``finish()``.
    func resume() {
        state.withLock { ($0.isOn, $0.isFailureLogged, $0.earliest) = (true, false, .zero) }
    }
}

extension Worker.State {
    /// The timer to start for the next look; nil if one ends before.
    fileprivate mutating func newTimer() -> Duration? {
        guard let next, timer.map({ next < $0 }) ?? true else { return nil }
        timer = next
        return next
    }
}
