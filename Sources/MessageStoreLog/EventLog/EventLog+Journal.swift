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
        let frames = try JournalContent(in: directory, storeID: storeID).frames(after: lastPosition, acceptsLoss)
        if !frames.isEmpty {
            try environment.write { transaction in
                for frame in frames { try write(frame.events, in: transaction) }
            }
            // The journal may have promised more than this opening does.
            if environment.configuration.durability != .full { try environment.synchronize() }
            try findEnd()
        }
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

    /// Commits what is staged, and removes the journal's files: when the log is closed.
    package func closeJournal() throws {
        try commit()
        commitQueue.sync {}
        guard case .writing(let journal) = journal.withLock({ $0 }) else { return }
        try journal.remove()
    }
}
