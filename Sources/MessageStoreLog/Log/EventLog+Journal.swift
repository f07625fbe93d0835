internal import Dispatch
internal import MessageStoreLMDB
internal import MessageStoreSealing

/// How a log uses its journal.
enum JournalUse {
    case none
    case writing(Journal)
    case following(JournalReader)
}

/// Commits of the log that nobody waits for.
struct BackgroundCommits: Sendable {
    /// Whether one is about to begin.
    var isDue = false
    /// Whether the last one failed.
    var hasFailed = false
    var noteFailure: EventLog.NoteFailure = { _, _ in }
}

extension EventLog {
    /// Called with the failure that was made good for, and its error.
    package typealias NoteFailure = @Sendable (_ what: String, any Error) -> Void

    /// Takes over what the journal holds beyond the log's end; from now on, it is written, or followed where the log is
    /// open for reading only.
    ///
    /// - Parameters:
    ///   - storeID: 16 bytes that name the log.
    ///   - acceptsLoss: Whether to go on without durable events that are missing, and without all events after them.
    ///   - isOwner: Whether nobody else can have opened the log for writing; asked before events count as durable.
    ///   - noteFailure: Called once where the journal cannot be written, and once where commits fail that nobody waits
    ///     for, until one succeeds; on any thread, and it must not use the log.
    /// - Throws: ``StoreError`` with code `logDamaged` and the first position that is missing.
    package func useJournal(
        of storeID: [UInt8], acceptsLoss: Bool = false, isOwner: @escaping @Sendable () -> Bool = { true },
        noteFailure: @escaping NoteFailure = { _, _ in }
    ) throws {
        ownership.withLock { $0.isOwner = isOwner }
        guard configuration.access != .readOnly else {
            try followJournal(of: storeID, acceptsLoss)
            return try findEnd()
        }
        let key = frameKey()
        let frames = try frames(
            of: JournalContent(in: environment.path, storeID: storeID, sealedBy: key), after: lastPosition,
            acceptsLoss)
        if !acceptsLoss { try requireJournalFiles(after: frames.last?.last ?? lastPosition) }
        for frame in frames { stage(frame.events) }
        end.withLock { $0.durable = $0.position }
        let journal = Journal(
            in: environment, storeID: storeID, flushes: configuration.durability == .full, sealedBy: key,
            noteFailure: noteFailure)
        do {
            try commit()
            // From now on the journal is all that is forced to the medium, and earlier openings may have promised less.
            if !environment.isMarkedClosed || !frames.isEmpty { try environment.synchronize() }
            try environment.markJournal(files: 0)
            try Journal.remove(from: environment.path)
        } catch let error where Self.isFull(error) && !frames.isEmpty && !acceptsLoss {
            // They are as durable there as they were; the next events wait for room.
            try journal.keepFiles(through: lastPosition)
        }
        self.journal.withLock { $0 = .writing(journal) }
        backgroundCommits.withLock { $0.noteFailure = noteFailure }
        try limitSubscriptionPositions()
    }

    /// Answers the key of frames in the directory of the log that is in use.
    private var frameKey: @Sendable () -> SecretKey? {
        { [storage] in storage.tables.environment.configuration.key.map(JournalFrame.key) }
    }

    private static func isFull(_ error: any Error) -> Bool {
        (error as? LMDBError)?.isFull ?? (error as? FileError)?.isFull ?? false
    }

    private func findEnd() throws {
        let found = try snapshot().end()
        end.withLock { $0 = found }
    }

    /// The frames that continue the log, with names that it does not have otherwise.
    private func frames(
        of content: JournalContent, after last: Position, _ acceptsLoss: Bool
    ) throws -> [JournalFrame] {
        let frames = try content.frames(after: last, acceptsLoss)
        guard let wrong = try symbols.firstConflict(in: frames.map(\.events.symbols)) else { return frames }
        guard acceptsLoss else {
            throw StoreError(
                .logDamaged, "the journal has names for numbers that the log does not give",
                position: frames[wrong].first)
        }
        return Array(frames[..<wrong])
    }

    /// Follows the journal from now on. A writer may use the files again meanwhile, so damage that is found counts if
    /// it stays.
    private func followJournal(of storeID: [UInt8], _ acceptsLoss: Bool) throws {
        let reader = JournalReader(
            in: environment.path, storeID: storeID, symbols: symbols, sealedBy: frameKey,
            noteSymbols: { [end] symbols in end.withLock { $0.goOn(with: symbols) } })
        for attempt in 1... {
            do {
                try followCompaction()
                let content = try JournalContent(in: environment.path, storeID: storeID, sealedBy: frameKey())
                let committed = try durableSnapshot().lastPosition()
                let last = try frames(of: content, after: committed, acceptsLoss).last?.last
                if !acceptsLoss { try requireJournalFiles(after: last ?? committed) }
                let runs = try reader.content().runs
                let tables = storage.tables
                var snapshot = LogSnapshot(transaction: try tables.environment.beginRead(), tables, symbols: symbols)
                try snapshot.add(runs)
                if try last.map({ try $0 <= snapshot.lastPosition() }) ?? true { break }
                if attempt == 20 {
                    reader.goOn(with: content)
                    break
                }
            } catch let error as StoreError {
                guard attempt < 20 else { throw error }
            }
            FileSystem.pause(milliseconds: 1)
        }
        journal.withLock { $0 = .following(reader) }
    }

    /// - Throws: ``StoreError`` with code `logDamaged` if the journal lacks a file that the mark names.
    private func requireJournalFiles(after last: Position) throws {
        // The mark last: a writer notes that files go before they do.
        let areThere = try Journal.fileNames.map { try FileSystem.status(of: environment.path + "/" + $0) != nil }
        guard areThere.prefix(environment.markedJournalFiles).contains(false) else { return }
        throw StoreError(
            .logDamaged, "files of the journal were removed, with events that were durable",
            position: Position(last.rawValue + 1))
    }

    /// The bytes of the journal's files, used or not.
    package func journalBytes() throws -> Int {
        try Journal.fileNames.reduce(0) { try $0 + (FileSystem.status(of: environment.path + "/" + $1)?.size ?? 0) }
    }

    /// Forces commits to the medium before files of an earlier opening go, which may have promised that.
    func synchronizeWhereKept() throws {
        guard case .writing(let journal) = journal.withLock({ $0 }), journal.keepsFiles else { return }
        try environment.synchronize()
    }

    /// Overwrites what the journal's files hold; everything must be committed.
    func eraseJournal() throws {
        try synchronizeWhereKept()
        guard case .writing(let journal) = journal.withLock({ $0 }) else { return }
        try journal.erase()
    }

    /// Commits what is staged, and removes the journal's files: when the log is closed. Whoever still writes commits.
    package func closeJournal() throws {
        try journaling.withLock { _ throws in
            try commit()
            // Another process may have opened the log, and have files of these names.
            try checkOwner()
            try synchronizeWhereKept()
            guard case .writing(let journal) = journal.withLock({ $0 }) else { return }
            self.journal.withLock { $0 = .none }
            try journal.remove()
        }
    }

    /// Waits until no commit goes on that nobody waits for.
    package func waitForBackgroundCommit() { commitQueue.sync {} }
}
