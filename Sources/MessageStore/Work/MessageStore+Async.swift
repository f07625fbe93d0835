package import Dispatch
internal import MessageStoreLMDB

extension DispatchQueue {
    /// Runs work that blocks, apart from the threads of tasks.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Swift.Result { try StoreError.translating(body) }) }
        }
    }
}

extension MessageStore {
    /// Runs `body` on a queue and waits without blocking the caller's executor.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - body: Runs to its end once it has begun.
    /// - Throws: `CancellationError` if the task is cancelled before `body` begins; or what `body` throws.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func run<Result: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await Self.runCancellable(on: queue) { _, _ in try body() }
    }

    /// Runs `body` on a queue and waits without blocking the caller's executor; it ends early when the task is cancelled.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - progress: Called with reports of `body`.
    ///   - onCancel: Called when the task is cancelled.
    ///   - body: Is given a function that throws `CancellationError` once the task is cancelled, and another one that
    ///     reports progress and does the same.
    /// - Throws: `CancellationError` if the task is cancelled before `body` begins; or what `body` throws.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    static func runCancellable<Result: Sendable>(
        on queue: DispatchQueue,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in },
        onCancel: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (_ check: @escaping @Sendable () throws -> Void, ReplayProgress) throws -> Result
    ) async throws -> Result {
        let isCancelled = Locked(false)
        let check: @Sendable () throws -> Void = {
            if isCancelled.withLock({ $0 }) { throw CancellationError() }
        }
        return try await withTaskCancellationHandler {
            try await queue.run {
                try check()
                return try body(check) { reached, last in
                    progress(reached, last)
                    try check()
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            onCancel()
        }
    }
}
