internal import Dispatch
internal import MessageStoreLMDB

/// Wakes the live queries and tails of a store that is open for reading only, when the process that writes it has
/// recorded something.
final class WriterFollower: Sendable {
    private let watch = PolledWatch(label: "MessageStore.follower")
    private let position = Locked(Position.origin)

    func begin(_ store: MessageStore) {
        let last = (try? store.lastPosition()) ?? .origin
        position.withLock { $0 = last }
        let log = store.path + "/log"
        // The log's directory is replaced by compactions. Apple's systems report changes of files alone.
        #if canImport(Darwin)
        let paths = [store.path, log, log + "/data.mdb", log + "/journal-0", log + "/journal-1"]
        #else
        let paths = [store.path, log]
        #endif
        watch.begin(paths, of: store) { [weak self] store, isReported in self?.look(store, isReported: isReported) }
    }

    /// Wakes who waits, if there are new events, or the files were changed without any: by a redaction, say.
    private func look(_ store: MessageStore, isReported: Bool) {
        // A log that cannot be read says so to who reads it.
        let last = try? store.lastPosition()
        let isNew = position.withLock { position in
            guard let last else { return false }
            defer { position = last }
            return last != position
        }
        if isNew || isReported { store.tailWaiters.wake(isRewrite: !isNew) }
    }

    func finish() { watch.finish() }
}

/// Has a store look at files when the system reports a change of them, and from time to time in case it reports none.
final class PolledWatch: Sendable {
    /// - Parameter isReported: Whether the system reported a change.
    typealias Look = @Sendable (_ store: MessageStore, _ isReported: Bool) -> Void

    private struct State: Sendable {
        var watch: FileWatch?
        /// Counts the times that it began; nil while the store is not open.
        var round: Int?
        var rounds = 0
    }

    private let queue: DispatchQueue
    private let state = Locked(State())

    init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    /// Looks now and from now on, one look at a time, on a queue of its own.
    ///
    /// - Parameter prepare: Called before the paths are watched.
    func begin(
        _ paths: [String], of store: MessageStore, after prepare: @escaping @Sendable () -> Void = {},
        _ look: @escaping Look
    ) {
        let round = state.withLock { state in
            state.rounds += 1
            state.round = state.rounds
            return state.rounds
        }
        queue.async { [weak self, weak store] in
            guard let self, let store else { return }
            prepare()
            let watch = FileWatch(paths, on: self.queue) { [weak self, weak store] in
                guard let self, let store, self.isOn(round) else { return }
                look(store, true)
            }
            self.state.withLock { state in
                if state.round == round { state.watch = watch }
            }
            // A change before the first report counts as reported: a reader may have read what was there then.
            self.poll(store, round, isReported: true, look)
        }
    }

    private func isOn(_ round: Int) -> Bool { state.withLock { $0.round == round } }

    private func poll(_ store: MessageStore, _ round: Int, isReported: Bool = false, _ look: @escaping Look) {
        guard let watch = state.withLock({ $0.round == round ? $0.watch : nil }) else { return }
        watch.renew()
        look(store, isReported)
        store.scheduler.run(after: store.configuration.pollingDelay, on: queue) { [weak self, weak store] in
            guard let self, let store else { return }
            self.poll(store, round, look)
        }
    }

    /// Ends the looks and waits for the one that is running.
    func finish() {
        let watch = state.withLock { state in
            state.round = nil
            defer { state.watch = nil }
            return state.watch
        }
        watch?.cancel()
        queue.sync {}
    }
}
