internal import MessageStoreLMDB

/// A value that a test or a fake changes, and tasks that wait until it is as they need it.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isReached: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var nextID = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state: Locked<State>

    package init(_ value: Value) {
        state = Locked(State(value: value))
    }

    package var value: Value { state.withLock { $0.value } }

    /// Changes the value, and wakes the tasks whose condition holds then.
    @discardableResult
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        let (result, reached) = state.withLock { state in
            let result = body(&state.value)
            let reached = state.waiters.filter { $0.value.isReached(state.value) }
            for id in reached.keys { state.waiters[id] = nil }
            return (result, reached)
        }
        for waiter in reached.values { waiter.continuation.resume() }
        return result
    }

    /// Returns once a condition holds, or when the task is cancelled.
    package func wait(until isReached: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || isReached(state.value) { return true }
                    state.waiters[id] = Waiter(isReached: isReached, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}
