internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewEnvironment {
    /// Opens the views at `path`; nil where there are none of this log that can be read. They are a cache: damaged ones
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
        // A fold of what is left of the log was ended there.
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
        } catch let error as StoreError where error.code == .recordDamaged {
            // It is there, which is all that can be said; what was folded from it is kept.
            return true
        }
        guard configuration.acceptsOlderLog else {
            throw StoreError.rolledBackLog(try snapshot.lastPosition(), checkpoint.position, path: log.environment.path)
        }
        return false
    }

    /// Makes empty views next to `path` and moves them there, so that a crash leaves none or whole ones.
    static func make(
        at path: String, storeID: [UInt8], _ configuration: ViewConfiguration
    ) throws -> ViewEnvironment {
        let temporary = temporaryPath(nextTo: path)
        let views = try ViewEnvironment.create(
            path: temporary, storeID: storeID, configuration.catalog, durability: configuration.durability)
        try FileSystem.rename(temporary, to: path)
        views.environment.moved(to: path)
        if configuration.durability != .none { try FileSystem.synchronize(FileSystem.parent(of: path)) }
        return views
    }

    private static let (temporaryMark, retiredMark) = (".build-", ".retired-")

    static func temporaryPath(nextTo path: String) -> String {
        Environment.newPath(nextTo: path, mark: temporaryMark)
    }

    static func retiredPath(nextTo path: String) throws -> String {
        try Environment.nextPath(nextTo: path, mark: retiredMark)
    }

    /// Removes builds that a crash left next to `path`, and views that were replaced, as far as nobody reads them.
    static func removeLeftovers(nextTo path: String) throws {
        try Environment.removeUnused(nextTo: path, mark: temporaryMark, keepingAs: retiredMark)
        try Environment.removeUnused(nextTo: path, mark: retiredMark)
    }

    /// Removes views next to `path` that were replaced, as far as nobody reads them; answers whether none is left.
    static func removeRetired(nextTo path: String) throws -> Bool {
        try Environment.removeUnused(nextTo: path, mark: retiredMark)
    }
}
