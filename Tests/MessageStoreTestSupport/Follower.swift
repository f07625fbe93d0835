import MessageStore
import MessageStoreLMDB

/// Iterates a sequence in a task of its own; a test takes the values one by one.
final class Follower<Value: Sendable>: Sendable {
    private let values: Locked<AsyncThrowingStream<Value, any Error>.Iterator?>
    private let task: Task<Void, Never>

    init<Followed: AsyncSequence & Sendable>(_ followed: Followed) where Followed.Element == Value {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Value.self)
        values = Locked(stream.makeAsyncIterator())
        task = Task {
            do {
                for try await value in followed { continuation.yield(value) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }

    /// The next value; nil at the end. One caller at a time.
    func next() async throws -> Value? {
        guard var iterator = values.withLock({ $0.take() }) else { return nil }
        let value = try await iterator.next()
        values.withLock { $0 = iterator }
        return value
    }

    /// The values up to the end.
    func rest() async throws -> [Value] {
        var rest: [Value] = []
        while let value = try await next() { rest.append(value) }
        return rest
    }

    func cancel() { task.cancel() }
}

/// Counts from any thread.
final class Counter: Sendable {
    private let count = Locked(0)

    var value: Int { count.withLock { $0 } }

    func increment() { count.withLock { $0 += 1 } }
}
