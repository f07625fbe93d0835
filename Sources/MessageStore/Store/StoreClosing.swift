internal import MessageStoreLMDB

/// Whether a store is being closed or suspended, for work that takes long and then ends early.
struct StoreClosing: Sendable {
    private let code = Locked(StoreError.Code?.none)
    let path: String

    init(path: String) { self.path = path }

    /// - Parameter code: `closed` or `suspended`.
    func begin(_ code: StoreError.Code) { self.code.withLock { $0 = code } }

    /// The store is open again.
    func end() { code.withLock { $0 = nil } }

    /// - Throws: `StoreError` with code `closed` or `suspended` once the store is being closed or suspended.
    func check() throws {
        guard let code = code.withLock({ $0 }) else { return }
        throw StoreError(code, "the store is \(code)", path: path)
    }

    /// - Throws: `StoreError` with code `closed` once the store is being closed.
    func checkIsNotClosed() throws {
        if code.withLock({ $0 }) == .closed { try check() }
    }

    /// Runs work that reports its progress, and ends it when the store is closed or suspended.
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

extension StoreError {
    /// Whether the store that was used is not open at the moment.
    var isOfClosedStore: Bool { code == .closed || code == .suspended }
}
