extension MessageStore {
    /// Records what other processes have handed over through the inbox, and returns when all that waited is recorded.
    ///
    /// The store does so by itself when it is opened, when a file comes, and every ``Configuration/pollingInterval``; call
    /// this to be certain at a moment, for example before a badge is shown. The events of a file are recorded in one
    /// commit, durably, after the host's filter has judged them; files are taken in the order of their names, which is
    /// that in which they were handed over as far as the processes' clocks agree. A file that is not whole, is for another
    /// account, or whose events the store refuses, goes to the directory `bad` with its reason; a warning is logged, and
    /// the others are recorded all the same.
    ///
    /// - Returns: What this look found; files that another thread recorded meanwhile are not counted.
    /// - Throws: `StoreError`: `invalidArgument` where the configuration names no inbox; `readOnly`, `closed`, `diskFull`,
    ///   `permissionDenied` and others: of the first file that has to wait, after the others were recorded.
    @discardableResult
    public func drainInbox() throws -> InboxReport {
        _ = try openedForWriting()
        guard let inbox else {
            throw StoreError(.invalidArgument, "the configuration names no inbox", path: path)
        }
        return try StoreError.translating {
            let (report, failure) = try inbox.drain(self)
            if let failure { throw failure }
            return report
        }
    }

    /// Records what other processes have handed over; the `async` form of `drainInbox()`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    @discardableResult
    public func drainInbox() async throws -> InboxReport {
        try await run(on: readQueue) { try self.drainInbox() }
    }
}
