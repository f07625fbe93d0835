@_spi(Storage) package import MessageStoreLog

extension ViewSnapshot {
    borrowing func syncRow() throws -> SyncRow {
        let key = SyncRow.key
        return try decoded(.syncState, key.span.bytes) ?? SyncRow()
    }

    /// Where the sync that is going on began; nil where none is.
    package borrowing func startOfSync() throws -> Position? {
        let row = try syncRow()
        return row.isSyncing ? Position(row.startedAt) : nil
    }
}
