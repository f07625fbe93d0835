internal import Dispatch
internal import MessageStoreLMDB

/// Wakes the live queries and tails of a store that is open for reading only, when the process that writes it has
/// recorded something.
final class WriterWatcher: Sendable {
    private let watch = PolledWatch(
        Worker("MessageStore.watcher", qos: .userInitiated, failure: "the log cannot be followed"))
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
        if isNew || isReported { store.signal.note(isNew ? .recorded : .rewritten) }
    }

    func finish() { watch.finish() }
}

/// Has a store look at files when the system reports a change of them, and from time to time in case it reports none.
final class PolledWatch: Sendable {
    /// - Parameter isReported: Whether the system reported a change.
    typealias Look = @Sendable (_ store: MessageStore, _ isReported: Bool) throws -> Void

    private struct State {
        var watch: FileWatch?
        /// Whether a change was reported since the last look.
        var isReported = false
    }

    let worker: Worker
    private let state = Locked(State())

    init(_ worker: Worker) { self.worker = worker }

    /// Looks now and from now on, one look at a time, on the worker's queue.
    ///
    /// - Parameter prepare: Called before the paths are watched.
    func begin(
        _ paths: [String], of store: MessageStore, after prepare: @escaping @Sendable () -> Void = {},
        _ look: @escaping Look
    ) {
        worker.resume()
        worker.queue.async { [weak self, weak store] in
            // Nothing keeps a store alive that its owner lets go of meanwhile.
            guard let self, store != nil else { return }
            prepare()
            let watch = FileWatch(paths, on: worker.queue) { [weak self, weak store] in
                if let store { self?.wake(store, look) }
            }
            self.state.withLock { $0.watch = watch }
            // A change before the first report counts as reported: a reader may have read the state of that moment.
            if let store { self.wake(store, look) }
        }
    }

    private func wake(_ store: MessageStore, _ look: @escaping Look) {
        state.withLock { $0.isReported = true }
        worker.wake(store) { [weak self] store in
            guard let self else { return nil }
            let (watch, isReported) = self.state.withLock { state in
                defer { state.isReported = false }
                return (state.watch, state.isReported)
            }
            watch?.renew()
            // Also if the look fails: the next one comes all the same.
            do { try look(store, isReported) } catch let error as StoreError where error.isOfClosedStore {
                throw error
            } catch {
                self.worker.log(error, store)
            }
            return store.scheduler.now + store.configuration.pollingDelay
        }
    }

    /// Ends the looks and waits for the one that is running.
    func finish() {
        worker.finish()
        let watch = state.withLock { state in
            defer { state.watch = nil }
            return state.watch
        }
        watch?.cancel()
    }
}
