internal import MessageStoreLMDB

extension Scheduler {
    /// The work's result; nil at the deadline or when the caller's task is cancelled.
    ///
    /// The work runs on the scheduler's executor like the timer, so that it does not lose its time by waiting for a
    /// thread.
    ///
    /// - Parameters:
    ///   - deadline: When to stop waiting, on this scheduler's clock.
    ///   - work: The work, which may never return. If it loses, it is cancelled and its result dropped.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func firstAnswer<Value: Sendable>(
        until deadline: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error>? {
        let race = Race<Value>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard race.begin(continuation) else { return }
                let worker = Task(executorPreference: executor) {
                    let result: Result<Value, any Error>
                    do { result = .success(try await work()) } catch { result = .failure(error) }
                    race.finish(result)
                }
                let timer = Task(executorPreference: executor) {
                    try? await self.sleep(until: deadline)
                    race.finish(nil)
                }
                race.cancelAtEnd([worker, timer])
            }
        } onCancel: {
            race.finish(nil)
        }
    }
}

/// Resumes its continuation once, with the first result, and cancels what is still running then.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Result<Value, any Error>?, Never>?
        var tasks: [Task<Void, Never>] = []
        var isFinished = false
    }

    private let state = Locked(State())

    /// False where the race was over before it began; the continuation is resumed then.
    func begin(_ continuation: CheckedContinuation<Result<Value, any Error>?, Never>) -> Bool {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.continuation = continuation }
            return state.isFinished
        }
        if isFinished { continuation.resume(returning: nil) }
        return !isFinished
    }

    func cancelAtEnd(_ tasks: [Task<Void, Never>]) {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.tasks = tasks }
            return state.isFinished
        }
        if isFinished { for task in tasks { task.cancel() } }
    }

    func finish(_ result: Result<Value, any Error>?) {
        let (continuation, tasks) = state.withLock { state in
            state.isFinished = true
            defer { (state.continuation, state.tasks) = (nil, []) }
            return (state.continuation, state.tasks)
        }
        for task in tasks { task.cancel() }
        continuation?.resume(returning: result)
    }
}
