internal import Dispatch
internal import MessageStoreLMDB

/// Wakes the live queries and tails of a store that is open for reading only, when the process that writes it has
/// recorded something.
final class WriterFollower: Sendable {
    private struct State: Sendable {
        var watch: FileWatch?
        var position = Position.origin
        /// Counts the times that it began; nil while the store is not open.
        var round: Int?
        var rounds = 0
    }

    private let queue = DispatchQueue(label: "MessageStore.follower", qos: .userInitiated)
    private let state = Locked(State())

    func begin(_ store: MessageStore) {
        let position = (try? store.lastPosition()) ?? .origin
        let directory = (log: store.path + "/log", store: store.path)
        // The log's directory is replaced by compactions. Apple's systems report changes of files alone.
        #if canImport(Darwin)
        let paths = [
            directory.store, directory.log, directory.log + "/data.mdb", directory.log + "/journal-0",
            directory.log + "/journal-1",
        ]
        #else
        let paths = [directory.store, directory.log]
        #endif
        let watch = FileWatch(paths, on: queue) { [weak self, weak store] in
            guard let self, let store else { return }
            self.look(store, isChanged: true)
        }
        let round = state.withLock { state in
            state.rounds += 1
            (state.watch, state.position, state.round) = (watch, position, state.rounds)
            return state.rounds
        }
        poll(store, round)
    }

    /// Looks from time to time, whatever the system reports.
    private func poll(_ store: MessageStore, _ round: Int) {
        store.scheduler.run(after: store.configuration.pollingDelay, on: queue) { [weak self, weak store] in
            guard let self, let store, self.state.withLock({ $0.round == round }) else { return }
            self.look(store, isChanged: false)
            self.poll(store, round)
        }
    }

    /// Wakes who waits, if there are new events, or the files were changed without any: by a redaction, say.
    private func look(_ store: MessageStore, isChanged: Bool) {
        // A log that cannot be read says so to who reads it.
        let position = try? store.lastPosition()
        let isNew = state.withLock { state in
            guard state.round != nil else { return Bool?.none }
            guard let position else { return false }
            defer { state.position = position }
            return position != state.position
        }
        guard let isNew, isNew || isChanged else { return }
        store.tailWaiters.wake(isRewrite: !isNew)
    }

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
