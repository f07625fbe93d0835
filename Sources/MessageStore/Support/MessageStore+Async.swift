internal import Dispatch
internal import MessageStoreLMDB

extension MessageStore {
    /// Runs `body` on a queue and waits without blocking the caller's executor.
    ///
    /// - Parameters:
    ///   - queue: Where.
    ///   - evenIfCancelled: Whether to run it in a cancelled task.
    ///   - body: Runs to its end once it has begun.
    /// - Throws: `CancellationError` where the task is cancelled before `body` begins; or what `body` throws.
    func run<Result: Sendable>(
        on queue: DispatchQueue, evenIfCancelled: Bool = false, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Swift.Result {
                            if !evenIfCancelled, isCancelled.withLock({ $0 }) { throw CancellationError() }
                            return try body()
                        })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}
