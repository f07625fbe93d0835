internal import Dispatch

/// Measures every delay and time-out of a store by the clock of its configuration.
///
/// Timers, and what they limit, run on threads of the scheduler's own queue. So a time-out ends a wait even while
/// synchronous calls of the host block all the threads on which tasks usually run, and never because of that alone.
final class Scheduler: Sendable {
    /// Runs tasks whose progress must not depend on the threads that the host's tasks share.
    let executor = QueueExecutor(
        DispatchQueue(label: "MessageStore.scheduler", qos: .userInitiated, attributes: .concurrent))
    private let elapsed: @Sendable () -> Duration
    private let sleepUntil: @Sendable (_ deadline: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The time since the scheduler was made. Deadlines are given in the same way.
    var now: Duration { elapsed() }

    /// Waits until a deadline.
    ///
    /// - Throws: What the clock throws when the task is cancelled.
    func sleep(until deadline: Duration) async throws {
        try await sleepUntil(deadline)
    }

    /// Waits for a duration.
    ///
    /// - Throws: What the clock throws when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        try await sleepUntil(now + duration)
    }

    /// Runs `body` on a queue after a delay, which begins when this is called.
    func run(after delay: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        run(at: now + delay, on: queue, body)
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
