import Foundation
import MessageStoreLMDB

/// Runs `body` on another thread and waits for its end.
func onOtherThread(_ body: @escaping @Sendable () throws -> Void) throws {
    let outcome = Locked<Swift.Result<Void, any Error>?>(nil)
    Thread.detachNewThread {
        let result = Swift.Result { try body() }
        outcome.signal { $0 = result }
    }
    try outcome.waitUntil({ $0 != nil }) { try $0?.get() }
}

/// Threads that repeat `body` until they are stopped.
final class Repeaters: Sendable {
    private struct State {
        var running = 0
        var isStopped = false
        var rounds = 0
        var failure: (any Error)?
    }

    private let state = Locked(State())

    init(_ count: Int, _ body: @escaping @Sendable () throws -> Void) {
        let state = state
        state.withLock { $0.running = count }
        for _ in 0..<count {
            Thread.detachNewThread {
                while !state.withLock({ $0.isStopped }) {
                    do {
                        try body()
                        state.withLock { $0.rounds += 1 }
                    } catch {
                        state.withLock { ($0.failure, $0.isStopped) = (error, true) }
                    }
                }
                state.signal { $0.running -= 1 }
            }
        }
    }

    /// Stops the threads, waits for them and answers how many rounds they made.
    func stop() throws -> Int {
        state.withLock { $0.isStopped = true }
        return try state.waitUntil({ $0.running == 0 }) { state in
            if let failure = state.failure { throw failure }
            return state.rounds
        }
    }
}
