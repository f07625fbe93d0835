package import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
package import MessageStoreSealing

/// The views on disk: a cache of the log's fold with a checkpoint. Deleting it loses nothing.
package final class ViewEnvironment: Sendable {
    package let environment: Environment
    let catalog: ProjectionCatalog
    /// By ``ViewTable/index``; after them the tables that belong to no projection, then the tables of projections that
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
        durability: Environment.Configuration.Durability,
        mapSize: Int = Environment.Configuration.standardMapSize, key: SecretKey? = nil
    ) throws -> ViewEnvironment {
        try FileSystem.createDirectory(path)
        let views = try ViewEnvironment(
            path: path, catalog,
            configuration: .init(access: .create, durability: durability, mapSize: mapSize, key: key))
        try views.writeFirst(Checkpoint(storeID: storeID, catalog))
        return views
    }

    /// - Parameter names: The tables to make, in the order of ``tables``; nil for the catalogue's.
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
                try environment.openTables(names, create: true, sealed: Self.sealedForms(of: names, catalog))
            } else {
                try Self.openTables(of: environment, catalog, configuration.access)
            }
    }

    /// The forms of tables in sealed views; a table of a projection that is not registered is a host's.
    private static func sealedForms(of names: [String], _ catalog: ProjectionCatalog) -> [String: SealedForm] {
        var forms = catalog.sealedForms
        for name in names where !catalog.tables.contains(where: { $0.name == name }) {
            forms[name] = ownTables.contains(name) ? nil : SealedForm { _ in 0 }
        }
        forms[ownTables[0]] = SealedForm()
        return forms
    }

    /// Opens the tables of a catalogue, and makes the tables of projections that were never registered before.
    ///
    /// - Throws: `LMDBError` with code `notFound` where a table is missing that the checkpoint names.
    private static func openTables(
        of environment: Environment, _ catalog: ProjectionCatalog, _ access: Environment.Configuration.Access
    ) throws -> [MessageStoreLMDB.Table] {
        let names = catalog.tables.map(\.name)
        let forms = sealedForms(of: [], catalog)
        guard access != .create else {
            return try environment.openTables(names + ownTables, create: true, sealed: forms)
        }
        let own = try environment.openTables(ownTables, create: false, sealed: forms)
        let checkpoint = try environment.read { try Self.checkpoint(in: $0, own[0]) }
        let known = Set(checkpoint?.projections.values.flatMap(\.digests.keys) ?? [])
        let new = names.filter { !known.contains($0) }
        if !new.isEmpty, access == .readWrite { _ = try environment.openTables(new, create: true, sealed: forms) }
        // Tables of projections that are not registered, as far as there is room, so that they can be inspected.
        let others = known.subtracting(names).ordered().prefix(2 * ViewTable.maximumCount - names.count - own.count)
        let otherForms = sealedForms(of: Array(others), catalog)
        return try environment.openTables(names, create: false, sealed: forms) + own
            + ((try? environment.openTables(Array(others), create: false, sealed: otherForms)) ?? [])
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

    /// The checkpoint in a snapshot; nil if it is missing or cannot be read.
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

extension ViewEnvironment {
    /// Opens the views at `path`; nil if there are none of this log that can be read. They are a cache: damaged ones
    /// are as good as none, and why they are is noted.
    static func existing(
        at path: String, of log: EventLog, storeID: [UInt8], _ configuration: ViewConfiguration,
        access: Environment.Configuration.Access
    ) throws -> (views: ViewEnvironment, checkpoint: Checkpoint)? {
        guard let status = try FileSystem.status(of: path) else { return nil }
        do {
            guard status.kind == .directory, try FileSystem.status(of: path + "/data.mdb") != nil else {
                throw Unusable("there is no directory with a data file in their place")
            }
            var opening = Environment.Configuration(access: access, durability: configuration.durability)
            opening.pageCheck = configuration.pageCheck
            opening.key = configuration.key()
            opening.commitFault = configuration.commitFault
            let views = try ViewEnvironment(path: path, configuration.catalog, configuration: opening)
            let checkpoint = try views.environment.read { transaction in
                let checkpoint = try views.checkpoint(in: transaction)
                if let checkpoint,
                    let table = try views.tableUnlike(
                        checkpoint, among: views.tablesToRecount(checkpoint), in: transaction)
                {
                    throw Unusable("the rows of the table \(table) are not those that were written")
                }
                return checkpoint
            }
            guard let checkpoint else { throw Unusable("their checkpoint is missing or cannot be read") }
            guard checkpoint.storeID == log.foldID(storeID: storeID) else {
                throw Unusable("they are of another store, or records were cut off its log since")
            }
            guard try isUpTo(checkpoint, log, configuration) else {
                throw Unusable("the log is older than they are, which the configuration accepts")
            }
            return (views, checkpoint)
        } catch let error as Unusable {
            configuration.noteUnusable(error.reason)
        } catch let error as LMDBError where error.isDamage || error.code == .notFound {
            configuration.noteUnusable("\(error)")
        } catch let error where StoreError.isViewDamage(error) {
            configuration.noteUnusable("\(error)")
        }
        return nil
    }

    /// Why views that are there are of no use.
    private struct Unusable: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// Whether the log still holds the record that a checkpoint names; the log is looked at after the checkpoint.
    ///
    /// - Throws: ``StoreError`` with code `logRolledBack` where it does not and that is not accepted.
    private static func isUpTo(
        _ checkpoint: Checkpoint, _ log: EventLog, _ configuration: ViewConfiguration
    ) throws -> Bool {
        guard checkpoint.position > .origin else { return true }
        let snapshot = try log.snapshot()
        // A fold of the rest of the log ended there.
        if try snapshot.gap(at: checkpoint.position) != nil { return true }
        do {
            // Folds do not see what redaction takes away. An erasure of values changes more, and makes the views anew
            // before it is finished.
            if let record = try snapshot.record(at: checkpoint.position),
                try record.checksum == checkpoint.recordChecksum || record.flags.contains(.isRedacted)
                    || log.owed().contains(where: { $0.state == .recorded })
            {
                return true
            }
        } catch let error as StoreError where error.isOfRecord {
            // It is there, which is all that can be said; rows folded from it are kept.
            return true
        }
        guard configuration.allowsRollback else {
            throw StoreError.rolledBackLog(try snapshot.lastPosition(), checkpoint.position, path: log.environment.path)
        }
        return false
    }

    /// Makes empty views next to `path` and moves them there, so that a crash leaves none or whole ones.
    static func make(
        at path: String, storeID: [UInt8], _ configuration: ViewConfiguration
    ) throws -> ViewEnvironment {
        let durability = configuration.durability
        let views = try FileSystem.put(
            at: path, through: Environment.newPath(nextTo: path, .building), isDurable: durability != .none
        ) {
            try ViewEnvironment.create(
                path: $0, storeID: storeID, configuration.catalog, durability: durability, key: configuration.key())
        }
        views.environment.moved(to: path)
        return views
    }
}

extension ViewEnvironment {
    /// The tables that are counted again when views are opened: all served ones if all damage must be seen, and the
    /// ones that decide what is recorded if the files were not as they were left.
    func tablesToRecount(_ checkpoint: Checkpoint) -> [ViewTable] {
        let served = catalog.tables(of: checkpoint.current(in: catalog))
        if environment.configuration.pageCheck == .always { return served }
        return environment.walkedBytes > 0 && environment.configuration.access != .readOnly
            ? ViewTable.ofKnownEvents.filter(served.contains) : []
    }

    /// The name of a table whose rows do not add up to the digest in a checkpoint; nil if all do.
    func tableUnlike(
        _ checkpoint: Checkpoint, among recounted: [ViewTable], in transaction: borrowing ReadTransaction
    ) throws -> String? {
        let digests = checkpoint.digests(in: catalog)
        for view in recounted {
            let table = tables[view.index]
            let seed = catalog.tables[view.index].digestSeed
            var digest: UInt64 = 0
            var cursor = StoredCursor(view, try transaction.unboundCursor(in: table))
            while try cursor.move(.next) { digest &+= Digest.row(seed, cursor.key, cursor.value) }
            if view == .identities {
                try StoredIdentities(in: transaction, identityRuns).forEach(in: transaction) {
                    digest &+= Digest.identity(seed, $0)
                }
            }
            if digest != digests[view.index] { return table.name }
        }
        return nil
    }
}

/// How views are built.
package struct ViewConfiguration: Sendable {
    /// Bytes at which the write buffer is frozen and flushed.
    package var bufferBytes: Int
    /// About how many bytes of memory a replay or rebuild takes: rows are written when they take half of that.
    package var replayBytes = Self.defaultReplayBytes
    /// How many threads fold a replay or rebuild, and of how many events at a time.
    var shards = min(Machine.processors, 8)
    var shardedEvents: UInt64 = 1 << 16
    /// Mostly relaxed, one flush a commit: commits that a loss of power undoes are folded again.
    package var durability: Environment.Configuration.Durability
    /// When all pages of views that exist are looked at; with `always`, their rows are also counted again.
    package var pageCheck = Environment.Configuration.PageCheck.afterUncleanClose
    /// About how many pages of identities one commit changes; LMDB keeps them in memory until then.
    package var flushPages = 1024
    /// Called before each commit of views on disk; may throw.
    package var commitFault: (@Sendable () throws -> Void)?
    /// Called to write the buffer, which it measures.
    package var measuringFlush: @Sendable (_ write: () -> Void) -> Void = { $0() }
    package var catalog: ProjectionCatalog
    /// Answers the key that seals rows with words, names or ids; nil for clear views.
    package var key: @Sendable () -> SecretKey? = { nil }
    /// Whether views that were folded from more than the log has are dropped, rather than refused.
    package var allowsRollback = false
    /// Called with the reason whenever views on disk are not used.
    package var noteUnusable: @Sendable (_ reason: String) -> Void = { _ in }

    package init(
        bufferBytes: Int = 10 << 20, durability: Environment.Configuration.Durability = .relaxed,
        catalog: ProjectionCatalog = .builtIn
    ) {
        self.catalog = catalog
        self.bufferBytes = bufferBytes
        self.durability = durability
    }

    /// A quarter of the memory, at most 512 MB; on devices that end apps which take much, 64 MB.
    package static let defaultReplayBytes: Int = {
        #if os(iOS) || os(tvOS) || os(visionOS)
        64 << 20
        #else
        min(Machine.memory / 4, 512 << 20)
        #endif
    }()
}
