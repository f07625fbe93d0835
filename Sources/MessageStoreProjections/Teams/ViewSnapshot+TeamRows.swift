@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// What is known of a team; stale also where all teams were invalidated later.
    borrowing func teamRow(_ conversation: ConversationNumber) throws -> TeamRow? {
        guard var row: TeamRow = try decoded(.teams, at: conversation) else { return nil }
        let all: NumberRow? = try decoded(.teams, at: Teams.allInvalidated)
        if let all, all.number > row.position { row.isStale = true }
        return row
    }
}
