internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewEnvironment {
    /// Opens the views at `path`; nil where there are none of this log that can be read. They are a cache: damaged ones are
    /// as good as none.
    static func existing(
        at path: String, of log: EventLog, storeID: [UInt8], _ configuration: ViewConfiguration,
        access: Environment.Configuration.Access
    ) throws -> (views: ViewEnvironment, checkpoint: Checkpoint)? {
        guard try FileSystem.status(of: path)?.kind == .directory,
            try FileSystem.status(of: path + "/data.mdb") != nil
        else { return nil }
        do {
            let views = try ViewEnvironment(
                path: path, configuration.catalog,
                configuration: .init(access: access, durability: configuration.durability))
            let checkpoint = try views.environment.read { try views.checkpoint(in: $0) }
            guard let checkpoint, checkpoint.storeID == storeID else { return nil }
            // The log is looked at after the checkpoint, so it cannot be the shorter one unless it was replaced.
            let log = try log.snapshot()
            guard checkpoint.position > .origin else { return (views, checkpoint) }
            guard let record = try? log.record(at: checkpoint.position), record.checksum == checkpoint.recordChecksum
            else { return nil }
            return (views, checkpoint)
        } catch let error as LMDBError where error.isDamage || error.code == .notFound {
            return nil
        }
    }

    /// Makes empty views beside `path` and moves them there, so that a crash leaves none or whole ones.
    static func make(
        at path: String, storeID: [UInt8], _ configuration: ViewConfiguration
    ) throws -> ViewEnvironment {
        let temporary = temporaryPath(beside: path)
        let views = try ViewEnvironment.create(
            path: temporary, storeID: storeID, configuration.catalog, durability: configuration.durability)
        try FileSystem.rename(temporary, to: path)
        if configuration.durability != .none { try FileSystem.synchronize(FileSystem.parent(of: path)) }
        return views
    }

    static func temporaryPath(beside path: String) -> String {
        path + ".build-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Removes builds that a crash left beside `path`.
    static func removeLeftovers(beside path: String) throws {
        let parent = FileSystem.parent(of: path)
        let prefix = path.split(separator: "/").last.map { $0 + ".build-" } ?? ""
        for name in try FileSystem.names(in: parent) where name.hasPrefix(prefix) {
            try FileSystem.remove(parent + "/" + name)
        }
    }
}
