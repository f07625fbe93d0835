internal import MessageStoreLMDB

/// Whether a store is being closed, for work that takes long and then ends early.
struct StoreClosing: Sendable {
    private let hasBegun = Locked(false)
    let path: String

    func begin() { hasBegun.withLock { $0 = true } }

    /// - Throws: `StoreError` with code `closed` once the store is being closed.
    func check() throws {
        if hasBegun.withLock({ $0 }) { throw StoreError(.closed, "the store is closed", path: path) }
    }

    /// Runs work that reports its progress, and ends it when the store is closed.
    func ending<Result>(
        _ progress: MessageStore.ReplayProgress, _ work: (MessageStore.ReplayProgress) throws -> Result
    ) throws -> Result {
        try withoutActuallyEscaping(progress) { progress in
            try work { reached, last in
                try check()
                try progress(reached, last)
            }
        }
    }
}
