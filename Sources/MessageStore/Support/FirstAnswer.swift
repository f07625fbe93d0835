internal import MessageStoreLMDB

/// Races work that may never return against a time-out.
enum FirstAnswer {
    /// The work's result; nil after `timeout` or when the caller's task is cancelled.
    ///
    /// Work that lost is cancelled and its result dropped; it is not waited for.
    static func of<Value: Sendable>(
        timeout: Duration, clock: any Clock<Duration> = ContinuousClock(),
        _ work: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error>? {
        let race = Race<Value>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard race.begin(continuation) else { return }
                let worker = Task {
                    let result: Result<Value, any Error>
                    do { result = .success(try await work()) } catch { result = .failure(error) }
                    race.finish(result)
                }
                let timer = Task {
                    try? await clock.sleep(for: timeout)
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
