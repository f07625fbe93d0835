internal import Dispatch

extension MessageStore {
    /// Runs `body` with every view at one position.
    ///
    /// All queries of one body see the same moment, which is not older than the last append that returned in this
    /// process. Appends continue meanwhile. Keep the body short: the pages that it reads cannot be freed, and the store
    /// must not be used from inside it, which throws `nestedAccess`. Settings that end at some time, as
    /// `ConversationMuted.until`, are compared with the configuration's clock, which the store reads once when the read
    /// begins.
    ///
    /// - Throws: `StoreError`, or what `body` throws.
    public func read<Result>(_ body: (borrowing Views) throws -> Result) throws -> Result {
        let resources = try opened()
        return try StoreError.translating {
            try resources.views.read(at: configuration.now(), body)
        }
    }

    /// Runs `body` with every view at one position; the `async` form of ``read(_:)``.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Views) throws -> Result
    ) async throws -> Result {
        try await run(on: readQueue) { try self.read(body) }
    }
}
