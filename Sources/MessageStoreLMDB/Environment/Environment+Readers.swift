internal import MessageStoreCLMDB

extension Environment {
    /// How far the oldest live reader of any process lags, and how large the file is.
    package struct ReaderLag: Sendable {
        /// Live readers of all processes.
        package let readers: Int
        /// Commits since the snapshot of the oldest reader; 0 where there is no reader.
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

    /// Looks at the table of readers, without those that died; costs microseconds.
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
