internal import MessageStoreLMDB

extension MessageStore {
    /// Removes what a message said for good; that it was sent, by whom and when, stays.
    ///
    /// Modifications of the message, and its echoes, are redacted as well. Costs a scan of the log from there. The bytes
    /// may live on in free pages of the file until those are reused.
    ///
    /// - Throws: `StoreError`: `notFound` where the position holds no event, `invalidArgument` where its type has no
    ///   words of a person.
    public func redact(_ position: Position) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try writer.withLock { _ throws in
                try resources.log.commitStaged()
                let positions = try resources.views.read { try $0.wordPositions(of: position) }
                try resources.log.redact(positions)
            }
        }
        tailWaiters.wake()
    }
    /// Removes what a message said for good; the `async` form of `redact(_:)`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func redact(_ position: Position) async throws {
        try await run(on: writeQueue) { try self.redact(position) }
    }
}
