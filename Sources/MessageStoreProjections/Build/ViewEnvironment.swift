package import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// The views on disk: a cache of the log's fold with a checkpoint. Deleting it loses nothing.
package final class ViewEnvironment: Sendable {
    package let environment: Environment
    /// By ``ViewTable/rawValue``; behind them the table that holds the checkpoint.
    let tables: [Table]

    private static let metaName = "meta"
    static let metaIndex = ViewTable.count
    private var meta: Table { tables[Self.metaIndex] }

    /// Creates empty views in the new directory `path`.
    static func create(path: String, storeID: [UInt8], durability: Environment.Configuration.Durability) throws
        -> ViewEnvironment
    {
        try FileSystem.createDirectory(path)
        let views = try ViewEnvironment(path: path, configuration: .init(access: .create, durability: durability))
        try views.write(RowLayer(position: .origin), Checkpoint(storeID: storeID))
        return views
    }

    init(path: String, configuration: Environment.Configuration) throws {
        var configuration = configuration
        configuration.isCache = true
        environment = try Environment(path: path, configuration: configuration)
        let names = ViewTable.allCases.map(\.name) + [Self.metaName]
        tables = try environment.openTables(names, create: configuration.access == .create)
    }

    /// The checkpoint in a snapshot; nil where it is missing or of other projections than this version's.
    package func checkpoint(in transaction: borrowing some Transaction & ~Copyable) throws -> Checkpoint? {
        let key = Checkpoint.key
        guard let row = try transaction.value(for: key.span.bytes, in: meta) else { return nil }
        return Checkpoint(row)
    }

    /// The checkpoint that was just written for a position.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged` where it is not there.
    func checkpoint(writtenAt position: Position) throws -> Checkpoint {
        let checkpoint = try environment.read { try self.checkpoint(in: $0) }
        guard let checkpoint, checkpoint.position == position else {
            throw StoreError.unusableCheckpoint(path: environment.path)
        }
        return checkpoint
    }

    /// Writes a layer's rows, sorted, together with the checkpoint, in one transaction.
    ///
    /// - Parameter checkpoint: Its digests are those before the layer; they are brought up to date here.
    /// - Throws: ``StoreError`` with code `viewsDamaged` where the stored checkpoint is not the layer's base.
    func write(_ layer: RowLayer, _ checkpoint: Checkpoint) throws {
        precondition(checkpoint.position == layer.position, "a checkpoint is of another position than its rows")
        try environment.write { transaction in
            let stored = try self.checkpoint(in: transaction)?.position ?? .origin
            // A layer is tried again also where it was written and only the look at what was written failed.
            if stored == layer.position, layer.base < layer.position { return }
            guard stored == layer.base else { throw StoreError.unusableCheckpoint(path: environment.path) }
            var checkpoint = checkpoint
            for table in ViewTable.allCases {
                checkpoint.digests[Int(table.rawValue)] &+= try write(layer[table], table, in: transaction)
            }
            let key = Checkpoint.key
            try transaction.put(checkpoint.bytes.span.bytes, for: key.span.bytes, in: meta)
        }
    }

    /// Writes one table's rows and answers by how much its digest changed.
    private func write(
        _ tree: RowTree, _ view: ViewTable, in transaction: borrowing WriteTransaction
    ) throws -> UInt64 {
        var cursor = RowTreeCursor(tree)
        cursor.seek(nil)
        guard cursor.isValid else { return 0 }
        var change: UInt64 = 0
        let table = tables[Int(view.rawValue)]
        let stored = try transaction.writeCursor(in: table)
        while cursor.isValid {
            let key = RawSpan(_unsafeBytes: cursor.key)
            if let old = try stored.value(for: key) { change &-= Digest.row(view, key, old) }
            if let value = cursor.value {
                let value = RawSpan(_unsafeBytes: value)
                change &+= Digest.row(view, key, value)
                try stored.put(value, for: key)
            } else {
                try transaction.remove(key, in: table)
            }
            cursor.advance()
        }
        return change
    }

    /// Replaces whole tables by those of another build of the same position, in one transaction.
    func replace(_ replaced: [ViewTable], from other: borrowing Views, _ checkpoint: Checkpoint) throws {
        precondition(checkpoint.position == other.position, "tables are replaced by those of another position")
        try environment.write { transaction in
            var checkpoint = checkpoint
            for table in replaced {
                let stored = tables[Int(table.rawValue)]
                var digest: UInt64 = 0
                try transaction.removeAll(in: stored)
                var cursor = try other.rows(table)
                while try cursor.next() {
                    digest &+= Digest.row(table, cursor.key, cursor.value)
                    try transaction.put(cursor.value, for: cursor.key, in: stored, mode: .append)
                }
                checkpoint.digests[Int(table.rawValue)] = digest
            }
            let key = Checkpoint.key
            try transaction.put(checkpoint.bytes.span.bytes, for: key.span.bytes, in: meta)
        }
    }
}

extension ViewEnvironment {
    /// Whether the directory at `path` is still the one that was opened.
    func isStill(at path: String) -> Bool {
        environment.isStill(at: path)
    }

    /// Entries and bytes of the views' tables.
    package func tableStatistics() throws -> [(name: String, statistics: TableStatistics)] {
        try environment.read { transaction in
            try tables.map { ($0.name, try transaction.statistics(of: $0)) }
        }
    }
}

extension ViewStore {
    /// The views on disk; nil where there are none.
    package var environment: ViewEnvironment? { state.withLock { $0.environment } }
}
