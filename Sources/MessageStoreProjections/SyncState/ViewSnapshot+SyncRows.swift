extension ViewSnapshot {
    borrowing func syncRow() throws -> SyncRow {
        try row(SyncState.state, .all) ?? SyncRow()
    }

    /// Where the sync that is going on began; nil where none is.
    package borrowing func startOfSync() throws -> Position? {
        let row = try syncRow()
        return row.isSyncing ? Position(row.startedAt) : nil
    }
}
