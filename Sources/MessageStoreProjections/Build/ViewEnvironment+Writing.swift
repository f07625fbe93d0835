internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

// MARK: Layers

extension ViewEnvironment {
    /// Writes a layer's rows, sorted, together with the checkpoint, in one transaction; identities may precede it.
    ///
    /// - Parameters:
    ///   - folded: The projections whose rows these are; others stay behind.
    ///   - checkpoint: Its digests are those before the layer; they are brought up to date here.
    ///   - keepsIdentities: Whether identities stay in memory, uncounted in the checkpoint.
    ///   - pages: About how many pages of identities one transaction changes: LMDB keeps those in memory until it commits.
    /// - Throws: ``StoreError`` with code `viewsDamaged` where the stored checkpoint is not the layer's base.
    func write(
        _ layer: RowLayer, of folded: ProjectionSet, _ checkpoint: Checkpoint, keepsIdentities: Bool = false, pages: Int
    ) throws {
        precondition(checkpoint.position == layer.position, "a checkpoint is of another position than its rows")
        let hasIdentities = !keepsIdentities && catalog.tables(of: folded).contains(.identities)
        let pending = hasIdentities ? try writeAhead(layer, pages) : PendingIdentities()
        try environment.write { transaction in
            guard try isBased(layer, in: transaction) else { return }
            // Copies: where the map is full, all of this runs once more.
            var identities = pending
            var checkpoint = checkpoint
            var digests = checkpoint.digests(in: catalog)
            for index in folded.indices {
                let entry = catalog.entries[index]
                for table in entry.tables {
                    digests[table.index] &+=
                        table == .identities
                        ? try write(&identities, over: layer.base, in: transaction)
                        : try write(layer[table], table, in: transaction)
                }
                checkpoint.set(entry, digests: digests)
            }
            try put(checkpoint, in: transaction)
        }
    }

    /// Whether a layer is yet to be written: it is tried again also where it was written and only the look at what was
    /// written failed.
    private func isBased(_ layer: RowLayer, in transaction: borrowing WriteTransaction) throws -> Bool {
        let stored = try self.checkpoint(in: transaction)?.position ?? .origin
        if stored == layer.position, layer.base < layer.position { return false }
        guard stored == layer.base else { throw StoreError.unusableCheckpoint(path: environment.path) }
        return true
    }

    /// Writes one table's rows and answers by how much its digest changed.
    private func write(
        _ tree: RowTree, _ view: ViewTable, in transaction: borrowing WriteTransaction
    ) throws -> UInt64 {
        var cursor = RowTreeCursor(tree)
        cursor.seek(nil)
        guard cursor.isValid else { return 0 }
        var change: UInt64 = 0
        let table = tables[view.index]
        let seed = catalog.tables[view.index].digestSeed
        let stored = try transaction.writeCursor(in: table)
        while cursor.isValid {
            let key = RawSpan(_unsafeBytes: cursor.key)
            if let old = try stored.value(for: key) { change &-= Digest.row(seed, key, old) }
            if let value = cursor.value {
                let value = RawSpan(_unsafeBytes: value)
                change &+= Digest.row(seed, key, value)
                try stored.put(value, for: key)
            } else {
                try transaction.remove(key, in: table)
            }
            cursor.advance()
        }
        return change
    }
}

// MARK: Identities

extension ViewEnvironment {
    /// Identities on their way to disk.
    private struct PendingIdentities {
        /// Those that are to be written, sorted.
        var rows = IdentityRun(capacity: 0)
        /// The first of them that was not looked at yet.
        var next = 0
        /// Those of them that must come with the checkpoint, since they replace others or name earlier positions.
        var kept: [Int] = []
        /// By how much those that were written change the digest.
        var change: UInt64 = 0
    }

    /// Writes new identities ahead of the checkpoint, where one transaction would change too many pages.
    ///
    /// Their keys are hashes, so that a full layer changes nearly every page of a large table. Rows that name positions
    /// after the checkpoint do not count until it reaches them, see ``ViewTable/hides(_:at:)``; should that never
    /// happen, they are written again.
    private func writeAhead(_ layer: RowLayer, _ pages: Int) throws -> PendingIdentities {
        var pending = PendingIdentities(rows: layer.sortedIdentities)
        let stored = try environment.read { try $0.statistics(of: tables[ViewTable.identities.index]).pages }
        let slices = min(pending.rows.count, stored) / max(pages, 1)
        guard slices > 0 else { return pending }
        let count = pending.rows.count / (slices + 1) + 1
        while pending.next < pending.rows.count {
            // What the transaction changes is taken over when it is committed: where the map is full, it runs once more.
            pending = try environment.write { transaction in
                var written = pending
                written.next = pending.rows.count
                guard try isBased(layer, in: transaction) else { return written }
                written.next = min(pending.next + count, pending.rows.count)
                try write(&written, pending.next..<written.next, over: layer.base, isAhead: true, in: transaction)
                return written
            }
        }
        return pending
    }

    /// Writes the identities that come with the checkpoint, and answers by how much all of them change the digest.
    private func write(
        _ pending: inout PendingIdentities, over base: Position, in transaction: borrowing WriteTransaction
    ) throws -> UInt64 {
        for index in pending.kept {
            try write(&pending, index..<index + 1, over: base, isAhead: false, in: transaction)
        }
        try write(&pending, pending.next..<pending.rows.count, over: base, isAhead: false, in: transaction)
        return pending.change
    }

    /// Writes a range of identities; where that is ahead of the checkpoint, keeps back those that must come with it.
    private func write(
        _ pending: inout PendingIdentities, _ range: Range<Int>, over base: Position, isAhead: Bool,
        in transaction: borrowing WriteTransaction
    ) throws {
        guard !range.isEmpty else { return }
        let table = ViewTable.identities
        let seed = catalog.tables[table.index].digestSeed
        let stored = try transaction.writeCursor(in: tables[table.index])
        var bytes = ByteWriter(capacity: 16)
        for index in range {
            let entry = pending.rows[index]
            bytes.removeAll()
            entry.key.write(to: &bytes)
            let key = bytes.bytes
            try withUnsafeBytes(of: entry.position) { position in
                let value = RawSpan(_unsafeBytes: position)
                var isReplaced = false
                if let old = try stored.value(for: key), !table.hides(old, at: base) {
                    isReplaced = true
                    if !isAhead { pending.change &-= Digest.row(seed, key, old) }
                }
                if isAhead, isReplaced || entry.namesEarlier { return pending.kept.append(index) }
                pending.change &+= Digest.row(seed, key, value)
                try stored.put(value, for: key)
            }
        }
    }
}

// MARK: Rebuilt projections

extension ViewEnvironment {
    /// Replaces the rows of some projections by those of another build of the same position, in one transaction.
    ///
    /// - Returns: The checkpoint that was written with them.
    func replace(
        _ replaced: ProjectionSet, from other: borrowing ViewSnapshot, _ checkpoint: Checkpoint
    ) throws -> Checkpoint {
        precondition(checkpoint.position == other.position, "rows are replaced by those of another position")
        return try environment.write { transaction in
            var checkpoint = checkpoint
            var digests = checkpoint.digests(in: catalog)
            for index in replaced.indices {
                let entry = catalog.entries[index]
                for table in entry.tables {
                    digests[table.index] = try replace(table, from: other, in: transaction)
                }
                checkpoint.set(entry, digests: digests)
            }
            try putDescriptions(of: replaced, in: transaction)
            try put(checkpoint, in: transaction)
            return checkpoint
        }
    }

    /// Replaces a table's rows and answers its digest.
    private func replace(
        _ table: ViewTable, from other: borrowing ViewSnapshot, in transaction: borrowing WriteTransaction
    ) throws -> UInt64 {
        let stored = tables[table.index]
        let seed = catalog.tables[table.index].digestSeed
        var digest: UInt64 = 0
        try transaction.removeAll(in: stored)
        var cursor = try other.rows(table)
        while try cursor.next() {
            digest &+= Digest.row(seed, cursor.key, cursor.value)
            try transaction.put(cursor.value, for: cursor.key, in: stored, mode: .append)
        }
        return digest
    }
}
