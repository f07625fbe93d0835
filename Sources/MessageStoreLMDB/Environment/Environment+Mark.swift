internal import MessageStoreCLMDB

extension Environment {
    /// Says that the data file is being written, before the first commit of an opening is; see ``DataMark``.
    ///
    /// The caller holds LMDB's lock for writing.
    func markOpen(_ transaction: OpaquePointer) throws {
        try upkeep.withLock { upkeep throws in
            guard upkeep.keepsMark, !upkeep.isMarkedOpen else { return }
            do {
                // A journal that an earlier opening left is there until its events are committed.
                try mark(
                    .init(journalFiles: upkeep.mark?.state.journalFiles ?? 0), Self.committed(before: transaction),
                    &upkeep)
            } catch let error as FileError where error.isNotFound {
                // The directory was removed: nobody will open the file again.
                upkeep.keepsMark = false
            }
        }
    }

    private func mark(_ state: DataMark.State, _ transaction: UInt64, _ upkeep: inout Upkeep) throws {
        let mark = DataMark(state, try marks.stamps(), transaction: transaction)
        try marks.write(mark)
        upkeep.mark = mark
        (upkeep.isMarkedOpen, upkeep.isMarkedClosed) = (true, false)
    }

    /// Says how many files of a journal have events: before the first in a file is acknowledged, and before the files
    /// are removed.
    package func markJournal(files count: Int) throws {
        guard upkeep.withLock({ $0.keepsMark && ($0.mark?.state.journalFiles ?? 0) != count }) else { return }
        let transaction = try read { UInt64(truncatingIfNeeded: mdb_txn_id($0.handle)) }
        try upkeep.withLock { try mark(.init(journalFiles: count), transaction, &$0) }
    }

    /// How many files of a journal have events, as the mark says now, whichever data file it was made for: a copy of a
    /// directory has other files, and lacks the same events without a journal.
    package var markedJournalFiles: Int { marks.read()?.state.journalFiles ?? 0 }

    /// Says that the data file is whole and on the medium, at the end of an opening.
    ///
    /// If that fails, or the last commit failed, the pages are checked when the environment is opened the next time.
    /// Another process may be writing already: it has its own mark there then, which stays.
    func markClosed() {
        let upkeep = upkeep.withLock { $0 }
        guard upkeep.keepsMark, !upkeep.isMarkedClosed, let opened, isStill(at: path) else { return }
        // Events are in a journal still, whose absence is to be noticed.
        guard upkeep.mark?.state.journalFiles ?? 0 == 0 else { return }
        guard upkeep.failedTransaction == 0 else {
            try? marks.write(nil)
            return
        }
        var transaction: OpaquePointer?
        guard mdb_txn_begin(opened, nil, 0, &transaction) == 0, let transaction else { return }
        defer { mdb_txn_abort(transaction) }
        guard marks.read() == upkeep.mark, (try? marks.synchronizeData()) != nil, let stamps = try? marks.stamps()
        else {
            return
        }
        try? marks.write(DataMark(.closed, stamps, transaction: Self.committed(before: transaction)))
    }

    /// Whether the data file is whole and on the medium, as it was left, with nothing committed since.
    package var isMarkedClosed: Bool { upkeep.withLock { $0.isMarkedClosed } }

    private static func committed(before transaction: OpaquePointer) -> UInt64 {
        UInt64(truncatingIfNeeded: mdb_txn_id(transaction)) &- 1
    }
}
