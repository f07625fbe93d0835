package import Dispatch

extension DispatchQueue {
    /// Runs work that blocks, apart from the threads of tasks.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Swift.Result { try StoreError.translating(body) }) }
        }
    }
}
