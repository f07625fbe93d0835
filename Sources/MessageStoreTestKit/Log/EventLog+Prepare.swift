@_spi(Storage) package import MessageStoreLog

extension EventLog {
    /// Encodes events for one commit, each of them as a new one.
    package func prepare(_ events: [Event], account: UserID, now: Timestamp) throws -> PreparedAppend {
        var writer = beginBatch(account: account, now: now)
        for event in events {
            try writer.append(event)
            writer.keep()
        }
        return PreparedAppend(writer)
    }
}
