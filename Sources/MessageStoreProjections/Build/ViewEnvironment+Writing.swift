internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

// MARK: Layers

extension ViewEnvironment {
    /// Writes a layer's rows, sorted, together with the checkpoint, in one transaction; identities may precede it.
    ///
    /// - Parameters:
    ///   - folded: The projections whose rows these are; others stay behind.
    ///   - checkpoint: Its digests are those before the layer; they are brought up to date here.
    ///   - pages: About how many pages of identities one transaction changes: LMDB keeps those in memory until it commits.
    /// - Throws: ``StoreError`` with code `viewsDamaged` where the stored checkpoint is not the layer's base.
    func write(_ layer: RowLayer, of folded: ProjectionSet, _ checkpoint: Checkpoint, pages: Int) throws {
        precondition(checkpoint.position == layer.position, "a checkpoint is of another position than its rows")
        let hasIdentities = catalog.tables(of: folded).contains(.identities)
        let (identities, change) = hasIdentities ? try writeAhead(layer, pages) : (RowTree(), 0)
        try environment.write { transaction in
            guard try isBased(layer, in: transaction) else { return }
            var checkpoint = checkpoint
            var digests = checkpoint.digests(in: catalog)
            digests[ViewTable.identities.index] &+= change
            for index in folded.indices {
                let entry = catalog.entries[index]
                for table in entry.tables {
                    let tree = table == .identities ? identities : layer[table]
                    digests[table.index] &+= try write(tree, table, over: layer.base, in: transaction)
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
        _ tree: RowTree, _ view: ViewTable, over base: Position, in transaction: borrowing WriteTransaction
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
            if let old = try stored.value(for: key), !view.hides(old, at: base) {
                change &-= Digest.row(seed, key, old)
            }
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
    /// Writes new identities ahead of the checkpoint, where one transaction would change too many pages.
    ///
    /// Their keys are hashes, so that a full layer changes nearly every page of a large table. Rows that name positions
    /// behind the checkpoint do not count until it reaches them, see ``ViewTable/hides(_:at:)``; should that never
    /// happen, they are written again.
    ///
    /// - Returns: The rows that must come with the checkpoint, since they replace others or name earlier positions, and by
    ///   how much those written change the digest.
    private func writeAhead(_ layer: RowLayer, _ pages: Int) throws -> (rest: RowTree, change: UInt64) {
        let rows = layer[.identities]
        let stored = try environment.read { try $0.statistics(of: tables[ViewTable.identities.index]).pages }
        let slices = min(rows.count, stored) / max(pages, 1)
        guard slices > 0 else { return (rows, 0) }
        var cursor = RowTreeCursor(rows)
        cursor.seek(nil)
        var rest = RowTree()
        var change: UInt64 = 0
        while cursor.isValid {
            try environment.write { transaction in
                guard try isBased(layer, in: transaction) else { return cursor.end() }
                change &+= try writeSlice(
                    &cursor, rows.count / (slices + 1) + 1, over: layer.base, rest: &rest, in: transaction)
            }
        }
        return (rest, change)
    }

    /// Writes the next `count` identities, but for those that must come with the checkpoint.
    private func writeSlice(
        _ cursor: inout RowTreeCursor, _ count: Int, over base: Position, rest: inout RowTree,
        in transaction: borrowing WriteTransaction
    ) throws -> UInt64 {
        let table = ViewTable.identities
        let seed = catalog.tables[table.index].digestSeed
        let stored = try transaction.writeCursor(in: tables[table.index])
        var change: UInt64 = 0
        for _ in 0..<count where cursor.isValid {
            let key = RawSpan(_unsafeBytes: cursor.key)
            var isReplaced = false
            if let old = try stored.value(for: key) { isReplaced = !table.hides(old, at: base) }
            if !isReplaced, let value = cursor.value, table.hides(RawSpan(_unsafeBytes: value), at: base) {
                change &+= Digest.row(seed, key, RawSpan(_unsafeBytes: value))
                try stored.put(RawSpan(_unsafeBytes: value), for: key)
            } else {
                _ = rest.set(cursor.key, cursor.value)
            }
            cursor.advance()
        }
        return change
    }
}

// MARK: Rebuilt projections

extension ViewEnvironment {
    /// Replaces the rows of some projections by those of another build of the same position, in one transaction.
    func replace(_ replaced: ProjectionSet, from other: borrowing ViewSnapshot, _ checkpoint: Checkpoint) throws {
        precondition(checkpoint.position == other.position, "rows are replaced by those of another position")
        try environment.write { transaction in
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
