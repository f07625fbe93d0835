/// Waits between rounds and tries. The carriage between machines goes by real time, whatever the clock of a store.
package enum Pause {
    /// - Throws: `CancellationError`.
    package static func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration.bounded) }

    /// Repeats a round until the task is cancelled or the store closed, and later after failures that pass.
    ///
    /// - Parameters:
    ///   - interval: How long to wait after a round.
    ///   - report: Called with the report of a round, and with each failure that passes.
    ///   - passes: Whether waiting helps against an error.
    ///   - round: Answers with its report; nil if there is none.
    /// - Throws: A failure that does not pass.
    static func rounds<Report>(
        every interval: Duration, report: (Result<Report, any Error>) -> Void, passes: (StoreError) -> Bool,
        isolation: isolated (any Actor)? = #isolation, _ round: () async throws -> Report?
    ) async throws {
        var delay = interval
        while !Task.isCancelled {
            do {
                if let news = try await round() { report(.success(news)) }
                delay = interval
            } catch is CancellationError {
                return
            } catch let error as StoreError where error.code == .closed {
                return
            } catch let error as StoreError where !passes(error) {
                throw error
            } catch {
                report(.failure(error))
                delay = min(max(delay, .milliseconds(1)) * 2, .seconds(60))
            }
            try? await sleep(for: delay)
        }
    }
}
