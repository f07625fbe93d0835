internal import MessageStoreCLMDB

/// One LMDB environment: a directory with a data file, a mark and a lock file, open once in this process.
///
/// Readers never block the writer nor each other. There is one writer at a time, over all
/// processes. A transaction belongs to the thread that began it and must end there; the
/// transactions are `~Copyable` and not `Sendable`, and what they lend is a `RawSpan` bound to
/// them, so the compiler keeps borrowed bytes inside (I8).
///
/// If the end of a commit could not be written, LMDB gives up its handle, also for reading; it is opened anew as soon
/// as no transaction is left.
package final class Environment: @unchecked Sendable {  // `opened` changes only while the gate is drained.
    package let configuration: Configuration
    /// Bytes of the pages that were looked at before the data file was mapped; 0 where its mark vouched for it.
    package let walkedBytes: Int
    /// LMDB's handle, which is thread-safe with `MDB_NOTLS`; nil where it was given up and could not be opened anew.
    var opened: OpaquePointer?
    /// How often the handle was opened anew.
    var generation = 0
    let gate = TransactionGate()
    /// Read transactions that were reset and wait to be renewed.
    let idleReaders = Locked<[OpaquePointer]>([])
    /// How many snapshots are kept, see ``KeptSnapshot``.
    let keptSnapshots = Locked(0)
    let upkeep: Locked<Upkeep>
    let marks: DataMarkFile
    private let location: Locked<String>
    private let registration: EnvironmentRegistry.Registration
    private let owner = getpid()

    /// The state that an environment keeps for its end and for opening its handle anew.
    struct Upkeep: Sendable {
        var tables: [Table] = []
        /// The transaction of the last commit, where that failed.
        var failedTransaction = 0
        var mark: DataMark?
        var isMarkedOpen = false
        /// Whether the mark is kept up: not of what is only read, nor of a scratch build.
        var keepsMark: Bool
        /// Whether the mark that was found vouches for the file, so that an opening without writes can leave it.
        var isMarkedClosed: Bool
        /// The pages of the file when slots of readers that died were last cleared.
        var checkedPages = 0
    }

    /// Opens the environment in the directory `path`.
    ///
    /// Before LMDB maps the data file, plain reads check it (see ``Preflight``): a missing, empty,
    /// truncated or foreign file is an error here and never a new, empty environment.
    /// Slots of readers that died are cleared.
    ///
    /// - Throws: ``LMDBError`` or ``FileError``.
    package init(path: String, configuration: Configuration) throws {
        location = Locked(path)
        self.configuration = configuration
        registration = try EnvironmentRegistry.register(directory: path)
        marks = DataMarkFile(directory: registration.directory, path: path)
        let isReadOnly = configuration.access == .readOnly
        var upkeep = Upkeep(keepsMark: !isReadOnly && configuration.durability != .none, isMarkedClosed: false)
        if configuration.access == .create {
            guard try FileSystem.status(of: path + "/data.mdb") == nil else {
                throw LMDBError(.failedPreflight, operation: "create", path: path, detail: "a data file exists already")
            }
            walkedBytes = 0
        } else {
            let checked = try marks.check(isReadOnly: isReadOnly, configuration.pageCheck)
            upkeep.mark = checked.mark
            upkeep.isMarkedClosed = checked.isMarkedClosed
            walkedBytes = checked.walkedBytes
        }
        self.upkeep = Locked(upkeep)
        try LockFile.prepare(path + "/lock.mdb", readers: configuration.maximumReaders, isReadOnly: isReadOnly)
        opened = try Environment.open(path: path, configuration, mapSize: configuration.mapSize)
        var dead: Int32 = 0
        mdb_reader_check(opened, &dead)
    }

    deinit {
        if getpid() == owner { markClosed() }
        closeHandle()
    }

    /// The directory, where it is now.
    package var path: String { location.withLock { $0 } }

    /// Records that the directory was renamed.
    package func moved(to path: String) {
        location.withLock { $0 = path }
    }

    /// Whether the directory at `path` is the one that this environment was opened in.
    package func isStill(at path: String) -> Bool {
        guard let status = try? FileSystem.status(of: path) else { return false }
        return registration.identity == .init(device: status.device, inode: status.inode)
    }

    func check(_ code: Int32, _ operation: @autoclosure () -> String) throws(LMDBError) {
        guard code == 0 else {
            throw LMDBError(
                .init(rawValue: code), operation: operation(), path: path, isInCache: configuration.isCache)
        }
    }
}
