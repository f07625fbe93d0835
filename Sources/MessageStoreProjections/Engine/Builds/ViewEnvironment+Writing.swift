internal import MessageStoreLMDB

// MARK: Layers

extension ViewEnvironment {
    /// Writes a layer's rows, sorted, together with the checkpoint, in one transaction.
    ///
    /// - Parameters:
    ///   - folded: The projections whose rows these are; the rows of others are not written.
    ///   - checkpoint: Its digests are those before the layer; this function updates them.
    ///   - keepsIdentities: Whether identities stay in memory, uncounted in the checkpoint.
    ///   - pages: About how many pages of their table identities may change in a transaction: LMDB keeps those in
    ///     memory until it commits.
    /// - Throws: ``StoreError`` with code `viewsDamaged` where the stored checkpoint is not the layer's base.
    func write(
        _ layer: RowLayer, of folded: ProjectionSet, _ checkpoint: Checkpoint, keepsIdentities: Bool = false, pages: Int
    ) throws {
        precondition(checkpoint.position == layer.position, "a checkpoint is of another position than its rows")
        let hasIdentities = !keepsIdentities && catalog.tables(of: folded).contains(.identities)
        let identities = hasIdentities ? layer.sortedIdentities : IdentityRun(capacity: 0)
        try environment.write { transaction in
            guard try isBased(layer, in: transaction) else { return }
            // A copy: where the map is full, all of this runs once more.
            var checkpoint = checkpoint
            var digests = checkpoint.digests(in: catalog)
            for index in folded.indices {
                let entry = catalog.entries[index]
                for table in entry.tables {
                    digests[table.index] &+=
                        table == .identities
                        ? try write(identities, upTo: layer.position, pages: pages, in: transaction)
                        : try write(layer[table], table, in: transaction)
                }
                checkpoint.set(entry, digests: digests)
            }
            try put(checkpoint, in: transaction)
        }
        if hasIdentities { try moveIdentities(pages: pages) }
    }

    /// Whether a layer is yet to be written: a write is tried again also if the layer was written and only the look at
    /// it failed.
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
        if view.traits.contains(.inChunks) { return try writeChunks(tree, view, in: transaction) }
        var cursor = RowTreeCursor(tree)
        cursor.seek(nil)
        guard cursor.isValid else { return 0 }
        var change: UInt64 = 0
        let table = tables[view.index]
        let seed = catalog.tables[view.index].digestSeed
        // The rows of an empty table are appended: nothing is looked up, and pages are full.
        let isEmpty = try transaction.statistics(of: table).entries == 0
        let stored = try transaction.writeCursor(in: table)
        while cursor.isValid {
            let key = RawSpan(_unsafeBytes: cursor.key)
            if !isEmpty, let old = try stored.value(for: key) { change &-= Digest.row(seed, key, old) }
            if let value = cursor.value {
                let value = RawSpan(_unsafeBytes: value)
                change &+= Digest.row(seed, key, value)
                try stored.put(value, for: key, mode: isEmpty ? .append : .upsert)
            } else if !isEmpty {
                try transaction.remove(key, in: table)
            }
            cursor.advance()
        }
        return change
    }
}

// MARK: Rebuilt projections

extension ViewEnvironment {
    /// Replaces the rows of some projections by another build's of the same position, in one transaction.
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
        if table == .identities { try transaction.removeAll(in: identityRuns) }
        if table.traits.contains(.inChunks) {
            var cursor = try other.rows(table)
            return try transaction.appendChunks(of: &cursor, to: stored, seed: seed)
        }
        for part in try TablePart.all(of: table, other.unsortedIdentities()) {
            var cursor = try other.rows(table, of: part)
            while try cursor.next(), part.contains(cursor.key) {
                digest &+= Digest.row(seed, cursor.key, cursor.value)
                try transaction.put(cursor.value, for: cursor.key, in: stored, mode: .append)
            }
        }
        return digest
    }
}
