internal import MessageStoreLMDB

extension ViewSnapshot {
    /// Each projection's digest, from the checkpoint's and the buffered rows; none of projections that are being
    /// rebuilt.
    package borrowing func digests() throws -> [ProjectionID: UInt64] {
        let catalog = plan.catalog
        var tables = try storedCheckpoint()?.digests(in: catalog) ?? [UInt64](repeating: 0, count: catalog.tables.count)
        for table in catalog.tables(of: plan.folded) {
            tables[table.index] &+= try bufferedDigestChange(of: table)
        }
        return catalog.digests(of: plan.folded, tables)
    }

    /// Counts the digest of a table once more, from all of its rows, and compares it with the one that was kept up to date.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged` where they differ.
    borrowing func recountDigest(of table: ViewTable) throws {
        let catalog = plan.catalog
        let kept = try (storedCheckpoint()?.digests(in: catalog)[table.index] ?? 0) &+ bufferedDigestChange(of: table)
        let seed = catalog.tables[table.index].digestSeed
        var recounted: UInt64 = 0
        var cursor = try rows(table)
        while try cursor.next() {
            recounted &+= Digest.row(seed, cursor.key, cursor.value)
        }
        guard recounted == kept else { throw StoreError.changedRows(of: table) }
    }

    /// The same for the identities of the environment, and calls `body` with the keys of all, in no order.
    borrowing func recountIdentities(_ body: (IdentityKey) -> Void) throws {
        try scope.check(.identities)
        let kept = try storedCheckpoint()?.digests(in: plan.catalog)[ViewTable.identities.index] ?? 0
        let seed = plan.catalog.tables[ViewTable.identities.index].digestSeed
        var recounted: UInt64 = 0
        switch base {
        case .some(let base):
            var cursor = try base.cursor(in: tables[ViewTable.identities.index])
            while try cursor.move(.next) {
                guard let key = IdentityKey(cursor.key) else {
                    throw StoreError.unreadableRow(of: .identities, at: cursor.key)
                }
                try recounted &+= Digest.row(seed, cursor.key, cursor.value)
                body(key)
            }
            try identities?.forEach(in: base) { entry in
                recounted &+= Digest.identity(seed, entry)
                body(entry.key)
            }
        case .none: break
        }
        guard recounted == kept else { throw StoreError.changedRows(of: .identities) }
        frozen?.forEachIdentity(body)
        active.forEachIdentity(body)
    }

    /// The checkpoint of what the environment holds in this very snapshot; nil if there is no environment.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged` where the environment has none.
    borrowing func storedCheckpoint() throws -> Checkpoint? {
        guard !tables.isEmpty else { return nil }
        let key = Checkpoint.key
        guard let row = try base?.value(for: key.span.bytes, in: tables[plan.catalog.tables.count]),
            let checkpoint = Checkpoint(row)
        else { throw StoreError.unusableCheckpoint(path: nil) }
        return checkpoint
    }

    /// By how much the buffered rows change the digest of what the environment holds.
    borrowing func bufferedDigestChange(of table: ViewTable, partsOf size: Int = TablePart.size) throws -> UInt64 {
        var change: UInt64 = 0
        for part in TablePart.all(of: table, bufferedIdentities, of: size) {
            change &+= try bufferedDigestChange(of: table, part)
        }
        return change
    }

    private borrowing func bufferedDigestChange(of table: ViewTable, _ part: TablePart) throws -> UInt64 {
        let seed = plan.catalog.tables[table.index].digestSeed
        var change: UInt64 = 0
        var cursor = RowTreeCursor(active.rows(of: table, part))
        cursor.seek(nil)
        while cursor.isValid {
            let key = RawSpan(_unsafeBytes: cursor.key)
            if let value = cursor.value { change &+= Digest.row(seed, key, RawSpan(_unsafeBytes: value)) }
            if hasRowsBelow, let below = try rowBelowActive(table, key) { change &-= Digest.row(seed, key, below) }
            cursor.advance()
        }
        guard let frozen else { return change }
        var frozenCursor = RowTreeCursor(frozen.rows(of: table, part))
        frozenCursor.seek(nil)
        while frozenCursor.isValid {
            let key = RawSpan(_unsafeBytes: frozenCursor.key)
            if let value = frozenCursor.value { change &+= Digest.row(seed, key, RawSpan(_unsafeBytes: value)) }
            if let below = try rowInBase(table, key) { change &-= Digest.row(seed, key, below) }
            frozenCursor.advance()
        }
        return change
    }
}
