internal import Foundation
internal import MessageStore
internal import Synchronization

/// A reader on a thread of its own: sixty times a second it reads the list's first page and the newest messages of the
/// conversation on top, as a screen does while it is scrolled.
final class PagingReader: Sendable {
    private struct State {
        var latencies: [Double] = []
        var error: (any Error)?
        var isStopped = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    init(_ store: MessageStore) {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isStopped }) {
                let start = ContinuousClock.now
                do {
                    try Self.read(store)
                    let latency = start.duration(to: .now) / .milliseconds(1)
                    state.withLock { $0.latencies.append(latency) }
                } catch {
                    state.withLock { $0.error = error }
                    break
                }
                Thread.sleep(forTimeInterval: max(0, 1.0 / 60 - start.duration(to: .now) / .seconds(1)))
            }
            state.withLock { $0.hasEnded = true }
        }
    }

    private static func read(_ store: MessageStore) throws {
        try store.read { views in
            let page = try views.conversations(limit: 50)
            if let top = page.elements.first { _ = try views.timeline(of: top.key, limit: 20) }
        }
    }

    /// Ends the thread and answers the milliseconds of each reading.
    func stop() throws -> [Double] {
        state.withLock { $0.isStopped = true }
        while !state.withLock({ $0.hasEnded }) { Thread.sleep(forTimeInterval: 0.001) }
        return try state.withLock { state in
            if let error = state.error { throw error }
            return state.latencies
        }
    }
}
