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
