internal import Dispatch
internal import MessageStoreLMDB

extension ServedViews {
    /// How many events may be recorded and not yet folded: who asks the views waits for as many.
    private static let unfoldedEvents: UInt64 = 1024

    /// Waits while two full layers are in memory or too many events are not folded (back-pressure to the appender), but
    /// not for a fold that is merely under way.
    ///
    /// - Throws: Why events cannot be folded, or the views not be written; nothing more is accepted until they can.
    package func waitForRoom() throws {
        let last = log.lastPosition.rawValue
        let hasRoom = folded.withLock { !$0.isFull && last < $0.position.rawValue + Self.unfoldedEvents }
        guard !hasRoom else { return }
        try foldNew()
        try writer.waitForRoom()
    }

    /// Writes everything that the log has, and returns when it is done.
    ///
    /// - Returns: The position of the checkpoint.
    @discardableResult
    package func flush() throws -> Position {
        try foldNew()
        return try writer.flush()
    }

    /// Writes everything and waits until no work on other threads holds on to the environment, so that it can be opened
    /// again as soon as the caller releases it.
    package func finish() throws {
        defer {
            foldQueue.sync {}
            writer.waitForFlushThread()
        }
        try flush()
    }
}
