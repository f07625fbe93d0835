internal import Dispatch
internal import MessageStoreLMDB

/// Measures every delay and time-out of a store by the clock of its configuration.
///
/// Timers, and the work that they limit, run on threads of the scheduler's own queue. So a time-out ends a wait even
/// while synchronous calls of the host block all the threads on which tasks usually run, and never because of that
/// alone.
final class Scheduler: Sendable {
    /// Runs tasks whose progress must not depend on the threads that the host's tasks share.
    let executor = QueueExecutor(
        DispatchQueue(label: "MessageStore.scheduler", qos: .userInitiated, attributes: .concurrent))
    private let elapsed: @Sendable () -> Duration
    private let sleepUntil: @Sendable (_ deadline: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleepUntil = { try await clock.sleep(until: start.advanced(by: $0.bounded), tolerance: nil) }
    }

    /// The time since the scheduler was made. Deadlines are given in the same way.
    var now: Duration { elapsed() }

    /// Waits until a deadline.
    ///
    /// - Throws: The clock's error when the task is cancelled.
    func sleep(until deadline: Duration) async throws {
        try await sleepUntil(deadline)
    }

    /// Waits for a duration.
    ///
    /// - Throws: The clock's error when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        try await sleepUntil(now + duration)
    }

    /// Runs `body` on a queue at a deadline.
    func run(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        Task(executorPreference: executor) { [sleepUntil] in
            try? await sleepUntil(deadline)
            queue.async(execute: body)
        }
    }

    /// Runs work that suspends and blocks the calling thread until it has ended.
    ///
    /// The caller may hold one of the few threads on which tasks run, so the work starts on the scheduler's executor.
    /// It must end by itself, for example by a time-out of this scheduler.
    func wait(for work: @escaping @Sendable () async -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        Task(executorPreference: executor) {
            await work()
            isDone.signal()
        }
        isDone.wait()
    }
}

/// Runs tasks on threads of a queue.
final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

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

/// Resumes its continuation once, with the first result, and cancels the tasks that are still running then.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Result<Value, any Error>?, Never>?
        var tasks: [Task<Void, Never>] = []
        var isFinished = false
    }

    private let state = Locked(State())

    /// Begins the wait; false if the race was over before: the continuation is resumed then.
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
