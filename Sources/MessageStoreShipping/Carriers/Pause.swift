/// Waits between rounds and tries. What is carried between machines goes by real time, whatever the clock of a store.
package enum Pause {
    /// - Throws: `CancellationError`.
    package static func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
