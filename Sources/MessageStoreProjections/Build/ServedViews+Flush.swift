internal import Dispatch
@_spi(Storage) package import MessageStoreLog

extension ServedViews {
    /// Waits while two full layers are in memory (back-pressure to the appender).
    ///
    /// - Throws: Why the views cannot be written; nothing more is accepted until they can.
    package func waitForRoom() throws { try writer.waitForRoom() }

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
