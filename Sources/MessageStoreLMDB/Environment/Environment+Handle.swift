internal import MessageStoreCLMDB

extension Environment {
    /// LMDB's handle, for a caller that holds the gate.
    var handle: OpaquePointer {
        get throws(LMDBError) {
            guard let opened else { throw panic("its handle was given up") }
            return opened
        }
    }

    static func open(path: String, _ configuration: Configuration, mapSize: Int) throws(LMDBError) -> OpaquePointer {
        func check(_ code: Int32, _ operation: String) throws(LMDBError) {
            guard code == 0 else {
                throw LMDBError(
                    .init(rawValue: code), operation: operation, path: path, isInCache: configuration.isCache)
            }
        }
        var created: OpaquePointer?
        try check(mdb_env_create(&created), "create environment handle")
        guard let handle = created else {
            throw LMDBError(.invalid, operation: "create environment handle", path: path)
        }
        do throws(LMDBError) {
            try check(mdb_env_set_mapsize(handle, mapSize), "set map size")
            try check(mdb_env_set_maxdbs(handle, UInt32(configuration.maximumTables)), "set table limit")
            try check(mdb_env_set_maxreaders(handle, UInt32(configuration.maximumReaders)), "set reader limit")
            var flags = UInt32(MDB_NOTLS)
            if configuration.access == .readOnly { flags |= UInt32(MDB_RDONLY) }
            switch configuration.durability {
            case .full: break
            case .relaxed: flags |= UInt32(MDB_NOMETASYNC)
            case .none: flags |= UInt32(MDB_NOSYNC)
            }
            try check(mdb_env_open(handle, path, flags, 0o600), "open environment")
            return handle
        } catch {
            mdb_env_close(handle)
            throw error
        }
    }

    /// Ends the readers that are kept, and the handle. No transaction may be open.
    func closeHandle() {
        idleReaders.withLock { idle in
            idle.forEach { mdb_txn_abort($0) }
            idle.removeAll()
        }
        if let opened { mdb_env_close(opened) }
        opened = nil
    }

    /// Opens the handle anew where LMDB gave it up, once no transaction is left.
    ///
    /// - Parameter seen: The ``generation`` of the handle that failed; where another thread was faster, nothing is
    ///   done.
    /// - Throws: ``LMDBError`` with code `panic`. The next transaction tries again.
    func reopen(_ seen: Int) throws(LMDBError) {
        guard !gate.isHeldByCurrentThread else { throw panic("the thread still holds a transaction") }
        try gate.drained { () throws(LMDBError) in
            guard generation == seen else { return }
            var info = MDB_envinfo()
            if let opened { mdb_env_info(opened, &info) }
            try reopenDrained(mapSize: info.me_mapsize)
        }
    }

    /// The same for a caller that has drained the gate.
    ///
    /// - Parameter mapSize: Bytes of address space; 0 for the configuration's.
    func reopenDrained(mapSize: Int) throws(LMDBError) {
        closeHandle()
        do {
            let path = path
            guard isStill(at: path) else { throw panic("its directory was moved or removed") }
            let report = try Preflight.check(path + "/data.mdb", walks: false)
            // The environment was notified that this commit failed, but the commit is there: state built on the failure
            // is wrong.
            let failed = upkeep.withLock { $0.failedTransaction }
            guard failed == 0 || report.transaction < UInt64(failed) else { throw panic("the commit is there") }
            let size = mapSize > 0 ? mapSize : configuration.mapSize
            opened = try Environment.open(path: path, configuration, mapSize: size)
            try reopenTables()
            generation += 1
        } catch {
            closeHandle()
            throw error as? LMDBError ?? panic("\(error)")
        }
    }

    /// Opens all tables again, in their order, which gives them the numbers that they had.
    private func reopenTables() throws(LMDBError) {
        let tables = upkeep.withLock { $0.tables }.sorted { $0.handle < $1.handle }
        let transaction = try beginReader()
        do throws(LMDBError) {
            for table in tables {
                guard try openTable(table.name, in: transaction, flags: 0) == table else {
                    throw panic("a table has another number")
                }
            }
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try check(mdb_txn_commit(transaction), "commit read transaction")
    }

    private func panic(_ detail: String) -> LMDBError {
        LMDBError(
            .panic, operation: "open environment anew after a commit failed", path: path, detail: detail,
            isInCache: configuration.isCache)
    }
}

/// The environments that this process has open, by device and inode of their directory.
///
/// Opening one twice and closing either drops the process's file locks and makes its readers
/// invisible to other processes, so a second open is refused.
enum EnvironmentRegistry {
    struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    private static let open = Locked<Set<Identity>>([])

    /// A place in the registry, given back when the value is released.
    final class Registration: Sendable {
        let identity: Identity
        /// Keeps the directory's inode from being given to another, should the directory be removed meanwhile.
        let directory: OpenDirectory

        fileprivate init(_ identity: Identity, _ directory: OpenDirectory) {
            self.identity = identity
            self.directory = directory
        }

        deinit {
            _ = EnvironmentRegistry.open.withLock { $0.remove(identity) }
        }
    }

    static func isOpen(_ identity: Identity) -> Bool { open.withLock { $0.contains(identity) } }

    static func register(directory: String) throws -> Registration {
        guard let found = try FileSystem.status(of: directory) else {
            throw FileError(operation: "open environment", path: directory, errno: ENOENT)
        }
        guard found.kind == .directory else {
            throw LMDBError(.failedPreflight, operation: "open", path: directory, detail: "not a directory")
        }
        let held = try OpenDirectory(directory)
        // Asked once more: a directory that was there before it was opened may have gone.
        guard let status = try FileSystem.status(of: directory) else {
            throw FileError(operation: "open environment", path: directory, errno: ENOENT)
        }
        let identity = Identity(device: status.device, inode: status.inode)
        guard open.withLock({ $0.insert(identity).inserted }) else {
            throw LMDBError(
                .alreadyOpen, operation: "open", path: directory,
                detail: "already open in this process; read with the store that has it open, or close it")
        }
        return Registration(identity, held)
    }
}

extension Environment {
    /// Whether this process has an environment in a directory open.
    package static func isOpen(at path: String) -> Bool {
        guard let status = try? FileSystem.status(of: path) else { return false }
        return EnvironmentRegistry.isOpen(.init(device: status.device, inode: status.inode))
    }
}
