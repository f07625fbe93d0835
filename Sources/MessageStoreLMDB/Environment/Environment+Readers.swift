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

    /// Looks at the table of readers; costs microseconds.
    package func readerLag() throws(LMDBError) -> ReaderLag {
        let (info, stat) = try information()
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
