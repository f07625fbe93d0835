package import MessageStoreLMDB

/// The views on disk: a cache of the log's fold with a checkpoint. Deleting it loses nothing.
package final class ViewEnvironment: Sendable {
    package let environment: Environment
    let catalog: ProjectionCatalog
    /// By ``ViewTable/index``; after them the tables that belong to no projection, then those of projections that
    /// nobody registered.
    let tables: [MessageStoreLMDB.Table]

    static let ownTables = ["meta", "identityRuns"]
    /// Holds the checkpoint.
    var meta: MessageStoreLMDB.Table { tables[catalog.tables.count] }
    /// Holds the identities that are not in their own table, see ``StoredIdentities``.
    var identityRuns: MessageStoreLMDB.Table { tables[catalog.tables.count + 1] }

    /// Creates empty views in the new directory `path`.
    static func create(
        path: String, storeID: [UInt8], _ catalog: ProjectionCatalog = .builtIn,
        durability: Environment.Configuration.Durability, mapSize: Int = 1 << 30
    ) throws -> ViewEnvironment {
        try FileSystem.createDirectory(path)
        let views = try ViewEnvironment(
            path: path, catalog, configuration: .init(access: .create, durability: durability, mapSize: mapSize))
        try views.writeFirst(Checkpoint(storeID: storeID, catalog))
        return views
    }

    /// - Parameter names: The tables to make, in the order of ``tables``; nil for those of the catalogue.
    init(
        path: String, _ catalog: ProjectionCatalog, configuration: Environment.Configuration,
        tables names: [String]? = nil
    ) throws {
        var configuration = configuration
        configuration.isCache = true
        configuration.maximumTables = 2 * ViewTable.maximumCount
        environment = try Environment(path: path, configuration: configuration)
        self.catalog = catalog
        tables =
            if let names {
                try environment.openTables(names, create: true)
            } else {
                try Self.openTables(of: environment, catalog, configuration.access)
            }
    }

    /// Opens the tables of a catalogue, and makes those of projections that were never registered before.
    ///
    /// - Throws: `LMDBError` with code `notFound` where a table is missing that the checkpoint names.
    private static func openTables(
        of environment: Environment, _ catalog: ProjectionCatalog, _ access: Environment.Configuration.Access
    ) throws -> [MessageStoreLMDB.Table] {
        let names = catalog.tables.map(\.name)
        guard access != .create else { return try environment.openTables(names + ownTables, create: true) }
        let own = try environment.openTables(ownTables, create: false)
        let checkpoint = try environment.read { try Self.checkpoint(in: $0, own[0]) }
        let known = Set(checkpoint?.projections.values.flatMap(\.digests.keys) ?? [])
        let new = names.filter { !known.contains($0) }
        if !new.isEmpty, access == .readWrite { _ = try environment.openTables(new, create: true) }
        // Those of projections that are not registered, as far as there is room, so that they can be inspected.
        let others = known.subtracting(names).ordered().prefix(
            2 * ViewTable.maximumCount - names.count - own.count)
        return try environment.openTables(names, create: false) + own
            + ((try? environment.openTables(Array(others), create: false)) ?? [])
    }

    private func writeFirst(_ checkpoint: Checkpoint) throws {
        try environment.write { transaction in
            try putDescriptions(of: catalog.all, in: transaction)
            try put(checkpoint, in: transaction)
        }
    }

    /// Writes what keys and rows of hosts' tables hold, for those who do not have the host's code.
    func putDescriptions(of projections: ProjectionSet, in transaction: borrowing WriteTransaction) throws {
        for table in catalog.tables(of: projections) {
            guard let description = catalog.tables[table.index].description else { continue }
            let key = TableDescription.key(of: description.name)
            try transaction.put(description.bytes.span.bytes, for: key.span.bytes, in: meta)
        }
    }

    func put(_ checkpoint: Checkpoint, in transaction: borrowing WriteTransaction) throws {
        let key = Checkpoint.key
        try transaction.put(checkpoint.bytes.span.bytes, for: key.span.bytes, in: meta)
    }

    /// The checkpoint in a snapshot; nil where it is missing or cannot be read.
    package func checkpoint(in transaction: borrowing some Transaction & ~Copyable) throws -> Checkpoint? {
        try Self.checkpoint(in: transaction, meta)
    }

    private static func checkpoint(
        in transaction: borrowing some Transaction & ~Copyable, _ meta: MessageStoreLMDB.Table
    ) throws -> Checkpoint? {
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
