internal import MessageStoreLMDB

/// The places of a store's files, and the making of a new store.
struct StoreDirectory {
    let path: String

    var logPath: String { path + "/log" }
    var viewsPath: String { path + "/views" }
    var laggingPath: String { path + "/lagging" }
    var lockPath: String { path + "/writer.lock" }

    init(path: String) throws {
        let trimmed = FileSystem.withoutTrailingSlashes(path)
        guard !trimmed.isEmpty, !trimmed.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "the path of a store is empty or holds a NUL")
        }
        self.path = trimmed
    }

    /// A place where nothing exists yet.
    init(new path: String) throws {
        try self.init(path: path)
        guard try FileSystem.status(of: self.path) == nil else {
            throw StoreError(.invalidArgument, "there is something at the path", path: self.path)
        }
    }

    /// Whether a store is here; throws where something else is.
    func isStore() throws -> Bool {
        guard let status = try FileSystem.status(of: path) else { return false }
        guard status.kind == .directory else {
            throw StoreError(.notAStore, "what is here is not a directory (links are not followed)", path: path)
        }
        let names = try FileSystem.names(in: path)
        if names.contains(StoreIdentity.fileName) { return true }
        guard names.isEmpty else {
            if try FileSystem.status(of: logPath + "/data.mdb") != nil {
                throw StoreError(
                    .logDamaged, "the identity file is missing", path: path + "/" + StoreIdentity.fileName)
            }
            throw StoreError(.notAStore, "the directory holds other files and no store", path: path)
        }
        return false
    }

    /// - Throws: `StoreError` where no store is here.
    func requireStore() throws {
        guard try isStore() else { throw StoreError(.storeMissing, "there is no store", path: path) }
    }

    /// Makes a new store: in a directory next to it, synchronised, then renamed, so that a crash leaves none or a whole
    /// one.
    ///
    /// - Parameters:
    ///   - isBulk: Whether commits of `fill` are forced to the medium together when it has ended.
    ///   - fill: Fills the new log; it enters the account and the store's id.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func create<Result>(
        account: UserID, isBulk: Bool = false, _ fill: (EventLog, _ storeID: [UInt8]?) throws -> Result
    ) throws -> Result {
        guard !account.rawValue.isEmpty, account.rawValue.utf8.count <= EventLimits.identifierBytes else {
            throw StoreError(.invalidArgument, "an account id has 1 to \(EventLimits.identifierBytes) bytes")
        }
        let parent = FileSystem.parent(of: path)
        Leftovers.remove(.creating, in: parent)
        // The store's own name may be as long as names can be.
        let temporary = try StoreDirectory(path: parent + "/" + Leftovers.Mark.creating.newName())
        let identity = StoreIdentity(account: account)
        do {
            try Self.createDirectory(temporary.path, in: parent)
            try FileSystem.createDirectory(temporary.logPath)
            // The log is closed again before it is moved.
            let result = try {
                let log = try EventLog(
                    path: temporary.logPath,
                    configuration: .init(access: .create, durability: isBulk ? .none : .full))
                let result = try fill(log, identity.idBytes)
                if isBulk { try log.environment.makeDurable(.full) }
                return result
            }()
            try identity.write(to: temporary.path + "/" + StoreIdentity.fileName)
            try FileSystem.synchronize(temporary.logPath)
            try FileSystem.synchronize(temporary.path)
            do { try FileSystem.rename(temporary.path, to: path) } catch {
                guard try isStore() else { throw error }
                throw StoreError(.alreadyOpen, "another process made a store here meanwhile", path: path)
            }
            try FileSystem.synchronize(parent)
            return result
        } catch {
            try? FileSystem.remove(temporary.path)
            throw error
        }
    }

    /// Makes a directory in one that must exist; without it, the path is the caller's mistake and no store is missing.
    static func createDirectory(_ path: String, in parent: String) throws {
        do {
            try FileSystem.createDirectory(path)
        } catch let error where StoreError(error).code == .storeMissing {
            throw StoreError(.invalidArgument, "the directory for a new store does not exist", path: parent)
        }
    }

    /// Makes a new, empty store.
    func create(account: UserID) throws {
        try create(account: account) { log, storeID in
            try log.symbols.enter(account: account, storeID: storeID)
        }
    }
}
