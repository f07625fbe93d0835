internal import Dispatch
internal import MessageStore
internal import Synchronization

/// MessageStore as a client uses it that hands over its packages as a stream.
final class StreamPeer: SyncPeer {
    private let peer: StorePeer

    init(at path: String, _ backlog: Backlog, configuration: MessageStore.Configuration = .init()) throws {
        peer = try StorePeer(at: path, backlog, configuration: configuration)
    }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) { peer.prepare(packages, hasMore: hasMore) }

    func ingest(_ package: Int) throws { try peer.ingest(package) }

    /// A package's time is that from when it was taken from the sequence until it was acknowledged.
    func ingestAll(_ count: Int, acknowledge: @escaping @Sendable () -> Void) throws -> [PackageTime] {
        let timing = Timing(peer.packages.prefix(count))
        let store = peer.store
        let hasEnded = DispatchSemaphore(value: 0)
        Task {
            do {
                try await store.ingest(AsyncStream { timing.next() }) { _, _ in
                    timing.acknowledge()
                    acknowledge()
                }
            } catch { timing.fail(error) }
            hasEnded.signal()
        }
        hasEnded.wait()
        return try timing.result()
    }

    /// The packages that are still to be taken, and the times of those that were.
    private final class Timing: Sendable {
        private struct State {
            var packages: ArraySlice<OfflinePackage>
            var times: [PackageTime] = []
            var acknowledged = 0
            var failure: (any Error)?
        }

        private let state: Mutex<State>

        init(_ packages: ArraySlice<OfflinePackage>) { state = Mutex(State(packages: packages)) }

        func next() -> OfflinePackage? {
            state.withLock { state in
                let package = state.packages.popFirst()
                if package != nil { state.times.append(PackageTime()) }
                return package
            }
        }

        func acknowledge() {
            state.withLock { state in
                state.times[state.acknowledged].end = Flushes.now
                state.acknowledged += 1
            }
        }

        func fail(_ error: any Error) { state.withLock { $0.failure = error } }

        func result() throws -> [PackageTime] {
            try state.withLock { state in
                if let failure = state.failure { throw failure }
                return Array(state.times.prefix(state.acknowledged))
            }
        }
    }

    func erase(_ erasure: Erasure) throws { try peer.erase(erasure) }
    func readViews() throws { try peer.readViews() }
    func flush() throws { try peer.flush() }
    func digest() throws -> ViewDigest? { try peer.digest() }
    func keptEvents() throws -> Int? { try peer.keptEvents() }
    func commits() throws -> Int? { try peer.commits() }
    func close() throws { try peer.close() }
}
