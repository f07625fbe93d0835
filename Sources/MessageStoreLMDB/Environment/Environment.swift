internal import MessageStoreCLMDB

/// One LMDB environment: a directory with a data file and a lock file, open once in this process.
///
/// Readers never block the writer nor each other. There is one writer at a time, over all
/// processes. A transaction belongs to the thread that began it and must end there; the
/// transactions are `~Copyable` and not `Sendable`, and what they lend is a `RawSpan` bound to
/// them, so the compiler keeps borrowed bytes inside (I8).
package final class Environment: @unchecked Sendable {  // `handle` is thread-safe with MDB_NOTLS; the rest is locked.
    package struct Configuration: Sendable {
        /// What this process may do with the environment.
        package enum Access: Sendable { case readOnly, readWrite, create }

        /// What a commit promises.
        package enum Durability: Sendable {
            /// Data and meta page are on the medium when a commit returns.
            case full
            /// `MDB_NOMETASYNC`: power loss may undo the last commits, in order; `kill -9` may not.
            case relaxed
            /// `MDB_NOSYNC`: for scratch builds that are thrown away or synchronised before use.
            case none
        }

        package var access: Access
        package var durability: Durability
        /// Bytes of address space reserved at first; it doubles whenever the map is full.
        package var mapSize: Int
        package var maximumTables: Int
        /// Read transactions at a time, of all processes, those that processes keep for reuse included.
        package var maximumReaders: Int
        /// Whether what the environment holds can be made anew; its errors say so.
        package var isCache: Bool
        /// Called before each commit is written, on its thread: where tests make commits slow or fail.
        package var commitFault: (@Sendable () throws -> Void)?

        package init(
            access: Access,
            durability: Durability = .full,
            mapSize: Int = 1 << 30,
            maximumTables: Int = 64,
            maximumReaders: Int = 1024,
            isCache: Bool = false
        ) {
            self.access = access
            self.durability = durability
            self.mapSize = mapSize
            self.maximumTables = maximumTables
            self.maximumReaders = maximumReaders
            self.isCache = isCache
        }
    }

    package let path: String
    package let configuration: Configuration
    let handle: OpaquePointer
    let gate = TransactionGate()
    /// Read transactions that were reset and wait to be renewed.
    let idleReaders = Locked<[OpaquePointer]>([])
    private let registration: EnvironmentRegistry.Registration

    /// Opens the environment in the directory `path`.
    ///
    /// Before LMDB maps the data file, plain reads check it (see ``Preflight``): a missing, empty,
    /// truncated or foreign file is an error here and never a new, empty environment.
    /// Slots of readers that died are cleared.
    ///
    /// - Throws: ``LMDBError`` or ``FileError``.
    package init(path: String, configuration: Configuration) throws {
        self.path = path
        self.configuration = configuration
        registration = try EnvironmentRegistry.register(directory: path)
        if configuration.access == .create {
            guard try FileSystem.status(of: path + "/data.mdb") == nil else {
                throw LMDBError(.failedPreflight, operation: "create", path: path, detail: "a data file exists already")
            }
        } else {
            try Self.checkFile(path + "/data.mdb", isReadOnly: configuration.access == .readOnly)
        }
        try LockFile.prepare(
            path + "/lock.mdb", readers: configuration.maximumReaders, isReadOnly: configuration.access == .readOnly)
        handle = try Environment.open(path: path, configuration: configuration)
        var dead: Int32 = 0
        mdb_reader_check(handle, &dead)
    }

    /// Checks the data file before LMDB maps it.
    private static func checkFile(_ path: String, isReadOnly: Bool) throws {
        // Another process may commit between two looks at the file: damage is what stays.
        for attempt in 1... {
            do {
                _ = try Preflight.check(path, walks: !isReadOnly)
                return
            } catch let error as LMDBError {
                guard isReadOnly, attempt < 20 else { throw error }
                FileSystem.pause(milliseconds: 1)
            }
        }
    }

    deinit {
        idleReaders.withLock { idle in idle.forEach { mdb_txn_abort($0) } }
        mdb_env_close(handle)
    }

    /// Whether the directory at `path` is the one that this environment was opened in.
    package func isStill(at path: String) -> Bool {
        guard let status = try? FileSystem.status(of: path) else { return false }
        return registration.identity == .init(device: status.device, inode: status.inode)
    }

    private static func open(path: String, configuration: Configuration) throws(LMDBError) -> OpaquePointer {
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
            try check(mdb_env_set_mapsize(handle, configuration.mapSize), "set map size")
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

    func check(_ code: Int32, _ operation: @autoclosure () -> String) throws(LMDBError) {
        guard code == 0 else {
            throw LMDBError(
                .init(rawValue: code), operation: operation(), path: path, isInCache: configuration.isCache)
        }
    }
}
