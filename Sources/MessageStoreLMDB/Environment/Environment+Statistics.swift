internal import MessageStoreCLMDB

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
        var cursor = try cursor(in: Table(handle: 0, name: "free list"))
        var pages = 0
        while try cursor.move(.next) {
            let value = cursor.value
            if value.byteCount >= 8 {
                pages &+= Int(truncatingIfNeeded: value.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
            }
        }
        return pages
    }
}
