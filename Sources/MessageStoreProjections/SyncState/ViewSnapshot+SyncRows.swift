@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func syncRow() throws -> SyncRow {
        let key = SyncRow.key
        return try decoded(.syncState, key.span.bytes) ?? SyncRow()
    }
}
