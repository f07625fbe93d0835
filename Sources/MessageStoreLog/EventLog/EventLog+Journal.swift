internal import Dispatch
internal import MessageStoreLMDB

/// How a log uses its journal.
enum JournalUse {
    case none
    case writing(Journal)
    case following(JournalFollower)
}

extension EventLog {
    /// Takes over what the journal holds beyond the log's end; from now on, it is written, or followed where the log is open
    /// for reading only.
    ///
    /// - Parameters:
    ///   - storeID: 16 bytes that name the log.
    ///   - acceptsLoss: Whether events that were durable and are missing are gone on without, and all behind them.
    /// - Throws: ``StoreError`` with code `logDamaged` and the first position that is missing.
    package func useJournal(of storeID: [UInt8], acceptsLoss: Bool = false) throws {
        let directory = environment.path
        guard environment.configuration.access != .readOnly else {
            try checkJournal(of: storeID, acceptsLoss)
            journal.withLock {
                $0 = .following(JournalFollower(in: directory, storeID: storeID, symbols: symbols))
            }
            return try findEnd()
        }
        let last = lastPosition
        let frames = try JournalContent(in: directory, storeID: storeID).frames(after: last, acceptsLoss)
        if !frames.isEmpty {
            // A commit may have taken the first batches of a frame.
            try environment.write { transaction in
                for frame in frames { try write(frame.events, after: last, in: transaction) }
            }
            try findEnd()
        }
        // From now on the journal is all that is forced to the medium, and earlier openings may have promised less.
        if !environment.isMarkedClosed || !frames.isEmpty { try environment.synchronize() }
        try Journal.remove(from: directory)
        let flushes = environment.configuration.durability == .full
        journal.withLock { $0 = .writing(Journal(in: directory, storeID: storeID, flushes: flushes)) }
    }

    private func findEnd() throws {
        let found = try snapshot().end()
        end.withLock { $0 = found }
    }

    /// Looks for damage; a writer may use the files again meanwhile, so what is found counts if it stays.
    private func checkJournal(of storeID: [UInt8], _ acceptsLoss: Bool) throws {
        for attempt in 1... {
            do {
                let content = try JournalContent(in: environment.path, storeID: storeID)
                _ = try content.frames(after: durableSnapshot().lastPosition(), acceptsLoss)
                return
            } catch let error as StoreError {
                guard attempt < 20 else { throw error }
                FileSystem.pause(milliseconds: 1)
            }
        }
    }

    /// Overwrites what the journal's files hold; everything must be committed.
    func eraseJournal() throws {
        guard case .writing(let journal) = journal.withLock({ $0 }) else { return }
        try journal.erase()
    }

    /// Commits what is staged, and removes the journal's files: when the log is closed. Whoever still writes commits.
    package func closeJournal() throws {
        try journaling.withLock { _ throws in
            try commit()
            guard case .writing(let journal) = journal.withLock({ $0 }) else { return }
            self.journal.withLock { $0 = .none }
            try journal.remove()
        }
    }

    /// Waits until no commit goes on that nobody waits for.
    package func waitForBackgroundCommit() { commitQueue.sync {} }
}
