internal import Foundation
internal import MessageStore
internal import Synchronization

/// Work that a thread of its own repeats until it is stopped.
final class BackgroundLoop: Sendable {
    private struct State {
        var latencies: [Double] = []
        var error: (any Error)?
        var isStopped = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - period: Seconds from the beginning of one repetition to that of the next, where the work takes less.
    ///   - work: An error that it throws ends the loop.
    init(every period: Double = 0, _ work: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isStopped }) {
                let start = ContinuousClock.now
                do {
                    try work()
                    let latency = start.duration(to: .now) / .milliseconds(1)
                    state.withLock { $0.latencies.append(latency) }
                } catch {
                    state.withLock { $0.error = error }
                    break
                }
                if period > 0 { Thread.sleep(forTimeInterval: max(0, period - start.duration(to: .now) / .seconds(1))) }
            }
            state.withLock { $0.hasEnded = true }
        }
    }

    /// A reader that reads the list's first page and the newest messages of the conversation on top sixty times a
    /// second, as a screen does while it is scrolled.
    static func pagingReader(_ store: MessageStore) -> BackgroundLoop {
        BackgroundLoop(every: 1.0 / 60) {
            try store.read { views in
                let page = try views.conversations(limit: 50)
                if let top = page.elements.first { _ = try views.timeline(of: top.key, limit: 20) }
            }
        }
    }

    /// Ends the thread and answers the milliseconds of each repetition.
    func stop() throws -> [Double] {
        state.withLock { $0.isStopped = true }
        while !state.withLock({ $0.hasEnded }) { Thread.sleep(forTimeInterval: 0.001) }
        return try state.withLock { state in
            if let error = state.error { throw error }
            return state.latencies
        }
    }
}
