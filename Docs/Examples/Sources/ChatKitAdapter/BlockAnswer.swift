import Synchronization

/// The answer of a block to its completion handler: the first call counts, and a handler that the block drops is an error.
final class BlockAnswer<Value: Sendable>: Sendable {
    /// The block let go of its completion handler without a call.
    struct Dropped: Error {}

    private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

    private init(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = Mutex(continuation) }

    deinit { complete(nil, Dropped()) }

    func complete(_ value: Value?, _ error: (any Error)?) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        if let value, error == nil {
            waiting?.resume(returning: value)
        } else {
            waiting?.resume(throwing: error ?? Dropped())
        }
    }

    /// Calls a block and waits for its answer.
    static func wait(
        for block: (_ completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let answer = BlockAnswer(continuation)
            block { answer.complete($0, $1) }
        }
    }
}
