internal import MessageStoreLMDB

extension MessageStore {
    /// Permanently removes the content of a message; the fact that it was sent, by whom and when, is kept.
    ///
    /// Modifications of the message, and its echoes, are redacted as well. Costs a scan of the log from there. No answer
    /// has the content from then on; its bytes leave the store's files with the next `compact(progress:)`.
    ///
    /// - Throws: `StoreError`: `notFound` where the position holds no event, `invalidArgument` if its type has no
    ///   content.
    public func redact(_ position: Position) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try writer.withLock { state throws in
                try closing.check()
                let positions = try resources.views.read { try $0.wordPositions(of: position) }
                defer { resources.views.noteRedaction() }
                try lagging.erasing(positions) { try resources.log.redact(positions, now: configuration.now()) }
                scheduleIdleFlush(&state)
            }
        }
        inbox?.removeRejected(self)
        noteRewrite()
    }
    /// Permanently removes the content of a message; the `async` form of `redact(_:)`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func redact(_ position: Position) async throws {
        try await run(on: writeQueue) { try self.redact(position) }
    }
}
