internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewStore {
    /// Opens what is at `path`, or makes it anew.
    ///
    /// - Returns: nil where there are no usable views and none may be made.
    static func openEnvironment(
        log: EventLog, path: String, storeID: [UInt8], _ configuration: Configuration
    ) throws -> (views: ViewEnvironment, checkpoint: Checkpoint)? {
        if !configuration.isReadOnly { try removeLeftovers(of: path) }
        do {
            if let opened = try existingEnvironment(log: log, path: path, storeID: storeID, configuration) {
                return opened
            }
        } catch let error as LMDBError where error.isDamage || error.code == .notFound {
            // Views are a cache: damaged ones are dropped and rebuilt from the log.
        }
        guard !configuration.isReadOnly else { return nil }
        try FileSystem.remove(path)
        return (
            try newEnvironment(path: path, storeID: storeID, configuration),
            Checkpoint(storeID: storeID, configuration.catalog)
        )
    }

    /// Folds the part of the log that the checkpoint does not cover.
    ///
    /// Where that shows that the views are damaged, they are dropped and made anew from the whole log.
    func foldTail(_ progress: Progress) throws {
        do {
            try catchUp(to: log.lastPosition, progress: progress)
        } catch let error where StoreError.isViewDamage(error) && !configuration.isReadOnly {
            try state.waitUntil({ !$0.isFlushing }) { state throws in
                state.use(nil, Checkpoint(storeID: storeID, configuration.catalog))
                try FileSystem.remove(path)
                state.environment = try Self.newEnvironment(path: path, storeID: storeID, configuration)
            }
            try catchUp(to: log.lastPosition, progress: progress)
        }
    }

    private static func existingEnvironment(
        log: EventLog, path: String, storeID: [UInt8], _ configuration: Configuration
    ) throws -> (views: ViewEnvironment, checkpoint: Checkpoint)? {
        guard try FileSystem.status(of: path)?.kind == .directory,
            try FileSystem.status(of: path + "/data.mdb") != nil
        else { return nil }
        var environment = Environment.Configuration(
            access: configuration.isReadOnly ? .readOnly : .readWrite, durability: configuration.durability)
        environment.pageCheck = configuration.pageCheck
        let views = try ViewEnvironment(path: path, configuration.catalog, configuration: environment)
        let checkpoint = try views.environment.read { try views.checkpoint(in: $0) }
        guard let checkpoint, checkpoint.storeID == storeID, try isUpTo(checkpoint, log, configuration) else {
            return nil
        }
        // Where nothing is of use, all is made anew; a reader, who cannot rebuild a part, does so in memory.
        let current = checkpoint.current(in: configuration.catalog)
        let builtIn = configuration.catalog.all.subtracting(configuration.catalog.hosts)
        guard configuration.isReadOnly ? current.isSuperset(of: builtIn) : !current.isEmpty else { return nil }
        return (views, checkpoint)
    }

    /// Whether the log still holds the record that a checkpoint names; the log was looked at after the checkpoint.
    ///
    /// - Throws: ``StoreError`` with code `logRolledBack` where it does not and that is not accepted.
    private static func isUpTo(
        _ checkpoint: Checkpoint, _ log: EventLog, _ configuration: Configuration
    ) throws -> Bool {
        guard checkpoint.position > .origin else { return true }
        let snapshot = try log.snapshot()
        do {
            // Folds do not see what redaction takes away.
            if let record = try snapshot.record(at: checkpoint.position),
                record.checksum == checkpoint.recordChecksum || record.flags.contains(.isRedacted)
            {
                return true
            }
        } catch let error as StoreError where error.code == .recordDamaged {
            // It is there, which is all that can be said; what was folded from it is kept.
            return true
        }
        guard configuration.acceptsOlderLog else {
            throw StoreError.rolledBackLog(try snapshot.lastPosition(), checkpoint.position, path: log.environment.path)
        }
        return false
    }

    /// Makes empty views beside `path` and moves them there, so that a crash leaves none or whole ones.
    static func newEnvironment(
        path: String, storeID: [UInt8], _ configuration: Configuration
    ) throws -> ViewEnvironment {
        let temporary = temporaryPath(beside: path)
        let views = try ViewEnvironment.create(
            path: temporary, storeID: storeID, configuration.catalog, durability: configuration.durability)
        try FileSystem.rename(temporary, to: path)
        views.environment.moved(to: path)
        if configuration.durability != .none { try FileSystem.synchronize(FileSystem.parent(of: path)) }
        return views
    }

    static func temporaryPath(beside path: String) -> String {
        path + ".build-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Removes builds that a crash left behind.
    private static func removeLeftovers(of path: String) throws {
        let parent = FileSystem.parent(of: path)
        let prefix = path.split(separator: "/").last.map { $0 + ".build-" } ?? ""
        for name in try FileSystem.names(in: parent) where name.hasPrefix(prefix) {
            try FileSystem.remove(parent + "/" + name)
        }
    }
}
