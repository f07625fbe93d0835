internal import Observation

/// Waits until a condition of an observable model holds, which is evaluated again after each change of what it reads.
///
/// ```swift
/// try await until { model.messages.map(\.text) == ["hello"] }
/// ```
///
/// - Parameters:
///   - isolation: The actor of the model, on which the condition is evaluated.
///   - condition: Reads properties of types that are `@Observable`; a change of anything else wakes nothing.
/// - Throws: `CancellationError` when the task is cancelled, as by a test's `.timeLimit`.
public func until(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async throws {
    while true {
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        guard !withObservationTracking(condition, onChange: { change.yield() }) else { return }
        for await _ in changes { break }
        try Task.checkCancellation()
    }
}
