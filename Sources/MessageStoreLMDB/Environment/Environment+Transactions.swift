internal import MessageStoreCLMDB

extension Environment {
    /// Runs `body` in a read transaction: one snapshot, never blocked by the writer.
    package func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        let transaction = try beginRead()
        return try body(transaction)
    }

    /// Begins a read transaction that ends when the value is destroyed.
    ///
    /// It must not cross an `await`: hence `noasync` (I8). Keep it short, since it pins pages.
    @available(*, noasync)
    package func beginRead() throws(LMDBError) -> ReadTransaction {
        ReadTransaction(environment: self, handle: try begin(renewOrBeginReader))
    }

    /// Enters the gate and begins a transaction; as far as possible, it fixes what keeps one from beginning.
    func begin(_ body: () throws(LMDBError) -> OpaquePointer) throws(LMDBError) -> OpaquePointer {
        while true {
            gate.enter()
            let seen = generation
            do throws(LMDBError) {
                return try body()
            } catch {
                gate.leave()
                switch error.code {
                case .mapResized: try adoptMapSize()
                case .panic: try reopen(seen)
                default: throw error
                }
            }
        }
    }

    /// Runs `body` in the write transaction and commits when it returns; a thrown error aborts.
    ///
    /// When the map is full the transaction is aborted, every transaction drained, the map doubled
    /// and **`body` run again from the start**, so `body` must not keep effects of its own.
    /// The calling thread must hold no read transaction of this environment.
    package func write<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        while true {
            do {
                return try writeOnce(body)
            } catch let error as LMDBError where error.code == .mapFull {
                try growMap()
            }
        }
    }

    /// Forces all commits of an environment that was opened with durability `none` to the medium, and makes later ones
    /// as durable as another one promises.
    package func makeDurable(_ durability: Configuration.Durability) throws(LMDBError) {
        try gate.entered { () throws(LMDBError) in
            try check(mdb_env_sync(handle, 1), "sync environment")
            try check(mdb_env_set_flags(handle, UInt32(MDB_NOSYNC), 0), "set durability")
            if durability == .relaxed {
                try check(mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), 1), "set durability")
            }
        }
        upkeep.withLock { $0.keepsMark = true }
    }

    /// Forces all commits to the medium.
    ///
    /// - Throws: `LMDBError`, on Apple's systems also `FileError`.
    package func synchronize() throws {
        try gate.entered { () throws(LMDBError) in try check(mdb_env_sync(handle, 1), "sync environment") }
        try forceThroughCache()
    }

    /// On Apple's systems forces what was committed through the drive's cache, where LMDB leaves it; elsewhere it is
    /// there.
    package func forceThroughCache() throws {
        #if canImport(Darwin)
        try FileSystem.synchronize(path + "/data.mdb")
        #endif
    }

    private func writeOnce<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        let begun = try begin(beginWriter)
        defer { gate.leave() }
        let result: Result
        errno = 0
        do {
            try markOpen(begun)
            let opening = try sealer?.opening(in: WriteTransaction(environment: self, handle: begun))
            let opener = ValueOpener(self, begun, opening)
            result = try body(WriteTransaction(environment: self, handle: begun, opener: opener, opening: opening))
            try configuration.commitFault?()
        } catch {
            let error = (error as? LMDBError).map(reportedAsFull) ?? error
            mdb_txn_abort(begun)
            throw error
        }
        let number = mdb_txn_id(begun)
        errno = 0
        let code = mdb_txn_commit(begun)
        upkeep.withLock { $0.failedTransaction = code == 0 ? 0 : number }
        do {
            try check(code, "commit")
        } catch {
            throw reportedAsFull(error)
        }
        return result
    }

    private func beginWriter() throws(LMDBError) -> OpaquePointer {
        try clearDeadReadersAfterGrowth()
        var begun: OpaquePointer?
        let code = try mdb_txn_begin(handle, nil, 0, &begun)
        return try opened(begun, code, "begin write transaction")
    }

    /// LMDB calls a write that was cut short EIO. Files are written in part only where there is no room for the rest;
    /// the system's own EIO is in `errno`.
    private func reportedAsFull(_ error: LMDBError) -> LMDBError {
        guard error.code.rawValue == EIO, errno != EIO else { return error }
        return LMDBError(
            .init(rawValue: ENOSPC), operation: error.operation, path: error.path, detail: "a write was cut short",
            isInCache: error.isInCache)
    }

    private func renewOrBeginReader() throws(LMDBError) -> OpaquePointer {
        if let idle = idleReaders.withLock({ $0.popLast() }) {
            let code = mdb_txn_renew(idle)
            if code == 0 { return idle }
            mdb_txn_abort(idle)
            try check(code, "renew read transaction")
        }
        return try beginReader()
    }

    /// Begins a read transaction of LMDB's; if the table of readers is full, once more without dead ones.
    func beginReader() throws(LMDBError) -> OpaquePointer {
        let handle = try handle
        var begun: OpaquePointer?
        var code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &begun)
        if code == MDB_READERS_FULL {
            try clearDeadReaders()
            code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &begun)
        }
        if code == MDB_READERS_FULL {
            var limit: UInt32 = 0
            mdb_env_get_maxreaders(handle, &limit)
            throw LMDBError(
                .readersFull, operation: "begin read transaction", path: path,
                detail: "all \(limit) slots for readers are taken", isInCache: configuration.isCache)
        }
        return try opened(begun, code, "begin read transaction")
    }

    /// Keeps a finished reader for reuse: renewing costs a tenth of beginning.
    func endRead(_ reader: OpaquePointer) {
        mdb_txn_reset(reader)
        let isKept = idleReaders.withLock { idle in
            guard idle.count < 8 else { return false }
            idle.append(reader)
            return true
        }
        if !isKept { mdb_txn_abort(reader) }
        gate.leave()
    }

    /// A number of the calling thread.
    package static var currentThread: UInt { TransactionGate.currentThread }
}

/// Counts the transactions of an environment so that its map can be resized while there are none.
///
/// `mdb_env_set_mapsize` succeeds under a live reader and leaves it with dangling pointers; LMDB does not
/// check, so we must. A thread that holds a transaction may begin another while a resize waits, since the resize
/// waits for that thread anyway.
struct TransactionGate: Sendable {
    private struct State {
        var holders: [UInt: Int] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    /// Enters as one transaction; waits while the map is being resized.
    func enter() {
        let thread = Self.currentThread
        state.waitUntil({ !$0.isClosed || $0.holders[thread] != nil }, then: { $0.holders[thread, default: 0] += 1 })
    }

    /// Leaves; must be called on the thread that entered.
    func leave() {
        let thread = Self.currentThread
        state.signal { state in
            guard let count = state.holders[thread] else {
                preconditionFailure("a transaction ends on a thread that did not begin it")
            }
            state.holders[thread] = count > 1 ? count - 1 : nil
        }
    }

    /// Runs `body` while the map stays where it is.
    func entered<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        enter()
        defer { leave() }
        return try body()
    }

    /// Whether the calling thread holds a transaction.
    var isHeldByCurrentThread: Bool {
        let thread = Self.currentThread
        return state.withLock { $0.holders[thread] != nil }
    }

    /// Lets no transaction begin, waits until all have ended, runs `body`, and opens again.
    ///
    /// The calling thread must hold none.
    func drained<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        precondition(!isHeldByCurrentThread, "a thread would wait for the end of its own transaction")
        state.waitUntil({ !$0.isClosed }, then: { $0.isClosed = true })
        defer { state.signal { $0.isClosed = false } }
        return try state.waitUntil({ $0.holders.isEmpty }) { _ throws(Failure) in try body() }
    }

    /// A number of the calling thread.
    static var currentThread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
