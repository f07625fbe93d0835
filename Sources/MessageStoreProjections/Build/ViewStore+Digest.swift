internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewStore {
    /// Each projection's digest at the position of `views`, from the checkpoint's and the buffered rows.
    package static func digests(of views: borrowing Views) throws -> [ProjectionName: UInt64] {
        var tables = try views.storedCheckpoint()?.digests ?? [UInt64](repeating: 0, count: ViewTable.count)
        for table in ViewTable.allCases {
            tables[Int(table.rawValue)] &+= try views.bufferedDigestChange(of: table)
        }
        return Dictionary(uniqueKeysWithValues: ProjectionName.allCases.map { ($0, Digest.combined($0, tables)) })
    }
}

extension Views {
    /// The checkpoint of what the environment holds in this very snapshot; nil where there is no environment.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged` where the environment has none.
    borrowing func storedCheckpoint() throws -> Checkpoint? {
        guard !tables.isEmpty else { return nil }
        let key = Checkpoint.key
        guard let row = try base?.value(for: key.span.bytes, in: tables[ViewEnvironment.metaIndex]),
            let checkpoint = Checkpoint(row)
        else { throw StoreError.unusableCheckpoint(path: nil) }
        return checkpoint
    }

    /// By how much the buffered rows change the digest of what the environment holds.
    borrowing func bufferedDigestChange(of table: ViewTable) throws -> UInt64 {
        var change: UInt64 = 0
        var cursor = RowTreeCursor(active[table])
        cursor.seek(nil)
        while cursor.isValid {
            let key = RawSpan(_unsafeBytes: cursor.key)
            if let value = cursor.value { change &+= Digest.row(table, key, RawSpan(_unsafeBytes: value)) }
            if let below = try rowBelowActive(table, key) { change &-= Digest.row(table, key, below) }
            cursor.advance()
        }
        guard let frozen else { return change }
        var frozenCursor = RowTreeCursor(frozen[table])
        frozenCursor.seek(nil)
        while frozenCursor.isValid {
            let key = RawSpan(_unsafeBytes: frozenCursor.key)
            if let value = frozenCursor.value { change &+= Digest.row(table, key, RawSpan(_unsafeBytes: value)) }
            if let below = try rowInBase(table, key) { change &-= Digest.row(table, key, below) }
            frozenCursor.advance()
        }
        return change
    }
}
