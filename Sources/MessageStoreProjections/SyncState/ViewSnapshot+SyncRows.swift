extension ViewSnapshot {
    borrowing func syncRow() throws -> SyncRow {
        try row(SyncState.state, .all) ?? SyncRow()
    }

    /// Whether the last recorded change of the connection left it open.
    package borrowing func isConnected() throws -> Bool {
        let row = try syncRow()
        return row.connectedAt > row.endedAt
    }

    /// Where the sync that is going on began; nil where none is.
    package borrowing func startOfSync() throws -> Position? {
        let row = try syncRow()
        return row.isSyncing ? Position(row.startedAt) : nil
    }
}
