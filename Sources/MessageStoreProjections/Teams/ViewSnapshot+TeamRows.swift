@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The known data of a team; stale also where all teams were invalidated later.
    borrowing func teamRow(_ conversation: ConversationNumber) throws -> TeamRow? {
        guard var row = try row(Teams.teams, conversation) else { return nil }
        if let all = try self.row(Teams.all, .all), all.number > row.position { row.isStale = true }
        return row
    }
}
