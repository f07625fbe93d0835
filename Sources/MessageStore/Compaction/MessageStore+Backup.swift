extension MessageStore {
    /// Writes a copy of the store, while it is read and written, also by other processes.
    ///
    /// The copy is a store of its own, which can be opened; ``restoreBackup(from:segments:to:applying:progress:)`` copies it once
    /// more, without what was erased since. It holds every event that was durable when the call
    /// began, and some that were recorded meanwhile, at their positions; subscribers' positions; and no byte of what was
    /// redacted before. Views are made at its first opening, which costs a pass over the log. It has an id of its own,
    /// so that files of one are never taken for those of the other.
    ///
    /// The copy appears at its path when it is whole and on the medium; a crash leaves none. Appends do not wait for it.
    ///
    /// - Parameters:
    ///   - path: The copy's directory; nothing may exist there, and its parent must exist.
    ///   - progress: Called periodically with the position that was copied and the last one; throwing ends the work,
    ///     and leaves nothing.
    /// - Returns: The last position of the copy.
    /// - Throws: `StoreError`: `invalidArgument` if something exists at the path or its parent does not, `recordDamaged`
    ///   where the log is damaged, `diskFull`, `nestedAccess` in a callback of a compaction or backup; or what `progress` throws.
    @discardableResult
    public func backup(to path: String, progress: ReplayProgress = { _, _ in }) throws -> Position {
        let log = try opened().log
        return try StoreError.translating {
            let copy = try StoreDirectory(new: path)
            let identity = try StoreIdentity.read(from: self.path)
            // A compaction would put other files in the place of those that are copied.
            return try whileCompacting {
                try closing.ending(progress) { progress in
                    try copy.create(copying: log, of: identity, progress: progress)
                }
            }
        }
    }

    /// Writes a copy of the store; the `async` form of `backup(to:progress:)`, which ends early, and leaves nothing,
    /// when the task is cancelled.
    ///
    /// - Returns: The last position of the copy.
    /// - Throws: As the synchronous form, or `CancellationError`.
    @discardableResult
    public func backup(
        to path: String, progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> Position {
        try await Self.runCancellable(on: readQueue, progress: progress) { progress in
            try self.backup(to: path, progress: progress)
        }
    }
}
