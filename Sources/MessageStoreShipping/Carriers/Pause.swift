package import Dispatch

/// Waits between rounds and tries. What is carried between machines goes by real time, whatever the clock of a store.
package enum Pause {
    /// - Throws: `CancellationError`.
    package static func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

extension DispatchQueue {
    /// Runs work that blocks, apart from the threads of tasks.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Swift.Result { try StoreError.translating(body) }) }
        }
    }
}
