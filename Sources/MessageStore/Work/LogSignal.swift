internal import MessageStoreLMDB

/// A change of the log.
enum LogChange {
    /// Events are visible.
    case recorded
    /// Events that were visible are durable.
    case durable
    /// Answers changed without a new event: contents were removed, or rows were made again.
    case rewritten
}

/// Reports changes of the log to all that follow it.
final class LogSignal: Sendable {
    private struct State {
        var generation = 0
        var rewrites = 0
        var isFinished = false
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var listener: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Counts the changes; events that were appended before it was read are visible to a read that follows.
    var generation: Int { state.withLock { $0.generation } }

    /// Counts the changes without a new event.
    var rewrites: Int { state.withLock { $0.rewrites } }

    /// Calls `body` at each change, on the thread that makes it.
    func listen(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.listener = body } }

    func note(_ change: LogChange) {
        let (waiting, listener) = state.withLock { state in
            state.generation += 1
            if change == .rewritten { state.rewrites += 1 }
            defer { state.waiting = [:] }
            return (state.waiting, state.listener)
        }
        for continuation in waiting.values { continuation.resume(returning: true) }
        listener?()
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: false) }
    }

    /// Waits for a change after `generation`; false when there will be none, or the task is cancelled.
    func wait(after generation: Int) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.isFinished || Task.isCancelled { return false }
                    if state.generation != generation { return true }
                    state.waiting[id] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
        }
    }
}
