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
        var completions = 0
        var hasCompletionFollowers = false
        var rewrites = 0
        var isFinished = false
        var nextID = 0
        var waiting = Waiting()
        /// Tasks that wait for the completion of a sync alone.
        var waitingForCompletion = Waiting()
        var listener: (@Sendable () -> Void)?
    }

    private typealias Waiting = [Int: CheckedContinuation<Bool, Never>]

    private let state = Locked(State())

    /// Counts the changes; events that were appended before it was read are visible to a read that follows.
    var generation: Int { state.withLock { $0.generation } }

    /// Counts the changes that may have completed an offline sync, for ``waitForCompletion(after:)``.
    var completions: Int {
        state.withLock { state in
            state.hasCompletionFollowers = true
            return state.completions
        }
    }

    /// Counts the changes without a new event.
    var rewrites: Int { state.withLock { $0.rewrites } }

    /// Calls `body` at each change, on the thread that makes it.
    func listen(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.listener = body } }

    /// Wakes all who wait.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - completesSync: Whether the change may complete an offline sync; asked for if anybody follows completions.
    func note(_ change: LogChange, completesSync: @autoclosure () -> Bool = true) {
        let isCompletion = state.withLock { $0.hasCompletionFollowers } ? completesSync() : true
        let (waiting, completion, listener) = state.withLock { state in
            state.generation += 1
            if change == .rewritten { state.rewrites += 1 }
            defer { state.waiting = [:] }
            guard isCompletion else { return (state.waiting, Waiting(), state.listener) }
            state.completions += 1
            defer { state.waitingForCompletion = [:] }
            return (state.waiting, state.waitingForCompletion, state.listener)
        }
        for continuation in waiting.values { continuation.resume(returning: true) }
        for continuation in completion.values { continuation.resume(returning: true) }
        listener?()
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { (state.waiting, state.waitingForCompletion) = ([:], [:]) }
            return Array(state.waiting.values) + state.waitingForCompletion.values
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }

    /// Waits for a change after `generation`; false when there will be none, or the task is cancelled.
    func wait(after generation: Int) async -> Bool {
        await wait(in: \.waiting) { $0.generation != generation }
    }

    /// Waits for a change that may complete an offline sync, after so many; false as ``wait(after:)``.
    ///
    /// Who holds a value back until a moment or a completion does so, and costs appends nothing.
    func waitForCompletion(after completions: Int) async -> Bool {
        await wait(in: \.waitingForCompletion) { $0.completions != completions }
    }

    private func wait(
        in waiting: any WritableKeyPath<State, Waiting> & Sendable, until isOver: (State) -> Bool
    ) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.isFinished || Task.isCancelled { return false }
                    if isOver(state) { return true }
                    state[keyPath: waiting][id] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0[keyPath: waiting].removeValue(forKey: id) }?.resume(returning: false)
        }
    }
}
