internal import MessageStoreCLMDB
package import MessageStoreSealing

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
    /// Bytes of the pages that were looked at before the data file was mapped; 0 if its mark vouched for it.
    package let walkedBytes: Int
    /// LMDB's handle, which is thread-safe with `MDB_NOTLS`; nil if it was given up and could not be opened anew.
    var opened: OpaquePointer?
    /// How often the handle was opened anew.
    var generation = 0
    let gate = TransactionGate()
    /// Read transactions that were reset and wait to be renewed.
    let idleReaders = Locked<[OpaquePointer]>([])
    /// How many snapshots are kept, see ``KeptSnapshot``.
    let keptSnapshots = Locked(0)
    /// Seals values under the configuration's key; nil if it has none. Set by the initializer.
    private(set) var sealer: EnvironmentSealer?
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
        /// Whether the mark is kept up: not of an environment that is only read, nor of a scratch build.
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
        if let key = configuration.key {
            sealer = try EnvironmentSealer(key, of: self, create: configuration.access == .create)
        } else if configuration.access != .create, try hasTable(EnvironmentSealer.tableName) {
            throw LMDBError(
                .brokenSeal, operation: "open", path: path, detail: "the files are sealed, and no key is given",
                isInCache: configuration.isCache)
        }
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
            throw LMDBError(.init(rawValue: code), operation: operation(), path: path, isInCache: configuration.isCache)
        }
    }

    /// The transaction or cursor that a call of LMDB's made.
    func opened(
        _ handle: OpaquePointer?, _ code: Int32, _ operation: @autoclosure () -> String
    ) throws(LMDBError) -> OpaquePointer {
        try check(code, operation())
        guard let handle else { throw LMDBError(.invalid, operation: operation(), path: path) }
        return handle
    }
}

extension Environment {
    /// How an environment is opened.
    package struct Configuration: Sendable {
        /// The access of this process to the environment.
        package enum Access: Sendable { case readOnly, readWrite, create }

        /// The promise of a commit.
        package enum Durability: Sendable {
            /// Data and meta page are on the medium when a commit returns.
            case full
            /// `MDB_NOMETASYNC`: power loss may undo the last commits, in order; `kill -9` may not.
            case relaxed
            /// `MDB_NOSYNC`: for scratch builds that are thrown away or synchronised before use.
            case none
        }

        /// When all pages of the data file are looked at before LMDB maps it; the meta pages always are.
        package enum PageCheck: Sendable {
            /// At each opening.
            case always
            /// If ``DataMark`` does not vouch for the file.
            case afterUncleanClose
        }

        /// A map that rarely has to grow: 1 GB; 128 MB on systems where a process has a few GB of address space.
        package static var standardMapSize: Int {
            #if os(iOS) || os(tvOS) || os(visionOS)
            128 << 20
            #else
            1 << 30
            #endif
        }

        package var access: Access
        package var durability: Durability
        package var pageCheck = PageCheck.afterUncleanClose
        /// Bytes of address space reserved at first; it doubles whenever the map is full.
        package var mapSize: Int
        package var maximumTables: Int
        /// Read transactions at a time, of all processes, including ones that processes keep for reuse.
        package var maximumReaders: Int
        /// Whether what the environment holds can be made anew; its errors say so.
        package var isCache: Bool
        /// Seals the values of tables that are opened with a form; nil if all are clear.
        package var key: SecretKey?
        /// Called before each commit, or its substitute in the log's journal, is written, on its thread: where tests
        /// make commits slow or fail.
        package var commitFault: (@Sendable () throws -> Void)?

        package init(
            access: Access,
            durability: Durability = .full,
            mapSize: Int = standardMapSize,
            maximumTables: Int = 64,
            maximumReaders: Int = 1024,
            isCache: Bool = false,
            key: SecretKey? = nil
        ) {
            self.key = key
            self.access = access
            self.durability = durability
            self.mapSize = mapSize
            self.maximumTables = maximumTables
            self.maximumReaders = maximumReaders
            self.isCache = isCache
        }
    }
}

extension Environment {
    /// The bytes of address space reserved now.
    package var mapSize: Int { gate.entered { currentMapSize } }

    /// The same for a caller that holds the gate: LMDB reads the mapped meta pages to answer.
    private var currentMapSize: Int {
        var info = MDB_envinfo()
        if let opened { mdb_env_info(opened, &info) }
        return info.me_mapsize
    }

    /// Doubles the map once no transaction is open.
    func growMap() throws(LMDBError) {
        let full = mapSize
        try refuseInsideTransaction("grow map")
        try gate.drained { () throws(LMDBError) in
            // Another writer may have grown it while this one waited.
            guard currentMapSize <= full else { return }
            try refuseUnderKeptSnapshots("grow map")
            let (doubled, overflow) = full.multipliedReportingOverflow(by: 2)
            guard !overflow else { throw LMDBError(.mapFull, operation: "grow map", path: path) }
            try resize(to: doubled, "grow map")
        }
    }

    /// Kept snapshots are bound to the map as it is.
    private func refuseUnderKeptSnapshots(_ operation: String) throws(LMDBError) {
        guard keptSnapshots.withLock({ $0 }) > 0 else { return }
        throw LMDBError(.mapFull, operation: operation, path: path, detail: "snapshots are kept")
    }

    /// Takes over the map size that another process has set.
    func adoptMapSize() throws(LMDBError) {
        try refuseInsideTransaction("adopt map size")
        try gate.drained { () throws(LMDBError) in
            try refuseUnderKeptSnapshots("adopt map size")
            try resize(to: 0, "adopt map size")
        }
    }

    /// Maps the file anew; where there is no address space for that, LMDB has lost the map it had, and the handle with
    /// it.
    private func resize(to size: Int, _ operation: String) throws(LMDBError) {
        let old = currentMapSize
        do throws(LMDBError) {
            try check(mdb_env_set_mapsize(handle, size), operation)
        } catch {
            try reopenDrained(mapSize: old)
            throw error
        }
    }

    /// Whether the calling thread holds a transaction of this environment.
    package var isHeldByCurrentThread: Bool { gate.isHeldByCurrentThread }

    /// A thread that waited for its own transaction to end would wait for ever.
    private func refuseInsideTransaction(_ operation: String) throws(LMDBError) {
        guard gate.isHeldByCurrentThread else { return }
        throw LMDBError(.mapFull, operation: operation, path: path, detail: "the thread still holds a transaction")
    }
}

extension Environment {
    /// Sizes of the whole environment, from one read transaction.
    package struct Statistics: Sendable {
        package var pageSize = 0
        /// Pages of the data file that hold or once held data.
        package var usedPages = 0
        /// Pages on the free list, reusable by the next commits.
        package var freePages = 0
        package var mapSize = 0
        /// Transactions by which the oldest live reader lags; 0 if there is none.
        package var oldestReaderLag = 0
        package var liveReaders = 0
    }

    package func statistics() throws -> Statistics {
        let (info, stat) = try information()
        var statistics = Statistics()
        statistics.pageSize = Int(stat.ms_psize)
        statistics.usedPages = info.me_last_pgno + 1
        statistics.mapSize = info.me_mapsize
        statistics.freePages = try read { transaction in try transaction.freePages() }
        let lag = try readerLag()
        statistics.liveReaders = lag.readers
        statistics.oldestReaderLag = lag.commits
        return statistics
    }

    /// The transaction numbers that live readers of all processes look at.
    func liveReaderTransactions() throws(LMDBError) -> [Int] {
        final class Lines { var text = "" }
        let lines = Lines()
        let context = Unmanaged.passUnretained(lines).toOpaque()
        try gate.entered { () throws(LMDBError) in
            _ = mdb_reader_list(
                try handle,
                { message, context in
                    guard let message, let context else { return 0 }
                    Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().text += String(cString: message)
                    return 0
                },
                context
            )
        }
        // A line a reader slot: pid, thread, transaction; a slot without a transaction shows "-".
        return lines.text.split(separator: "\n").dropFirst().compactMap { line in
            line.split(separator: " ").last.flatMap { Int($0) }
        }
    }
}

extension ReadTransaction {
    /// The number of pages on LMDB's free list (table 0: transaction number → count and page numbers).
    borrowing func freePages() throws(LMDBError) -> Int {
        var cursor = try cursor(in: Table(handle: 0, name: "free list", seal: nil))
        var pages = 0
        while try cursor.move(.next) {
            let value = cursor.storedValue
            if value.byteCount >= 8 {
                pages &+= Int(truncatingIfNeeded: value.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
            }
        }
        return pages
    }
}

extension Environment {
    /// How far the oldest live reader of any process lags, and how large the file is.
    package struct ReaderLag: Sendable {
        /// Live readers of all processes.
        package let readers: Int
        /// Commits since the snapshot of the oldest reader; 0 if there is no reader.
        package let commits: Int
        /// Bytes of the pages in use, free ones included. Pages that a reader may still see are not reused.
        package let usedBytes: Int
    }

    /// The file may grow by so many pages before slots of readers that died are looked for.
    private static let pagesBetweenChecks = 16

    /// Clears slots of readers that died, whose pages would not be reused, where the file has grown since it last did:
    /// a pass over the slots, and a system call for each other process that has one.
    func clearDeadReadersAfterGrowth() throws(LMDBError) {
        var info = MDB_envinfo()
        try check(mdb_env_info(handle, &info), "read environment information")
        let isDue = upkeep.withLock { upkeep in
            guard info.me_last_pgno >= upkeep.checkedPages + Self.pagesBetweenChecks else { return false }
            upkeep.checkedPages = info.me_last_pgno
            return true
        }
        if isDue { try clearDeadReaders() }
    }

    /// Clears slots of readers of processes that ended.
    func clearDeadReaders() throws(LMDBError) {
        var dead: Int32 = 0
        try check(mdb_reader_check(handle, &dead), "look for readers that died")
    }

    /// Looks at the table of readers, without dead ones; costs microseconds.
    package func readerLag() throws(LMDBError) -> ReaderLag {
        let (info, stat) = try information()
        try gate.entered { () throws(LMDBError) in try clearDeadReaders() }
        let readers = try liveReaderTransactions()
        return ReaderLag(
            readers: readers.count, commits: readers.min().map { max(0, info.me_last_txnid - $0) } ?? 0,
            usedBytes: (info.me_last_pgno + 1) * Int(stat.ms_psize))
    }

    /// LMDB's information about the environment; it reads the mapped meta pages, so the map must not be resized
    /// meanwhile.
    func information() throws(LMDBError) -> (info: MDB_envinfo, stat: MDB_stat) {
        try gate.entered { () throws(LMDBError) in
            var info = MDB_envinfo()
            var stat = MDB_stat()
            try check(mdb_env_info(handle, &info), "read environment information")
            try check(mdb_env_stat(handle, &stat), "read environment statistics")
            return (info, stat)
        }
    }
}
