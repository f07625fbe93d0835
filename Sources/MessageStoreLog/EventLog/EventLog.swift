internal import Dispatch
package import MessageStoreLMDB

/// The append-only log, from which everything else in a store is derived.
///
/// Three tables: records by position, and the two directions of the symbols; a fourth, where there are subscribers, for
/// their positions. There is one appender at a time; the owner sees to that. Readers take snapshots and never wait.
package final class EventLog: Sendable {
    let storage: LogStorage
    /// How the log was opened.
    package let configuration: Environment.Configuration
    let end: Locked<LogEnd>
    /// The journal that makes events durable before they are committed, in this process or in another one.
    let journal: Locked<JournalUse>
    /// Held while events are written to the journal. Whoever holds both locks takes this one first.
    let journaling = Locked(())
    /// Held during a commit.
    let committing = Locked(())
    let ownership = Locked(Ownership())
    /// The compaction that is under way.
    let compaction = Locked<LogCompaction?>(nil)
    let backgroundCommits = Locked(BackgroundCommits())
    let erasures: Locked<UnfinishedErasures>
    /// The queue of commits that nobody waits for.
    let commitQueue = DispatchQueue(label: "MessageStore.log", qos: .utility)
    /// Other events in the place of some of the log's; nil but in a log that is only replayed.
    private let rewriting: LogRewriting?

    /// Opens the log in the directory `path`.
    ///
    /// - Parameter types: The types of events; those of hosts are described in the log.
    /// - Throws: ``StoreError``, `LMDBError` or `FileError`; a log that exists is never replaced.
    package init(
        path: String, configuration: Environment.Configuration, types: EventTypes = .builtIn
    ) throws {
        self.configuration = configuration
        storage = LogStorage(try LogTables(path: path, configuration: configuration))
        (rewriting, erasures) = (nil, Locked(UnfinishedErasures()))
        let symbols = SymbolTable(storage, types: types)
        (end, journal) = (Locked(LogEnd(symbols: symbols)), Locked(.none))
        try describeTypes(isReadOnly: configuration.access == .readOnly)
        let found = try snapshot().end()
        end.withLock { $0 = found }
    }

    /// A log's records with others in the place of some; only for reading.
    package init(_ log: EventLog, rewritten rewriting: LogRewriting) {
        (end, journal) = (log.end, log.journal)
        (storage, configuration, erasures) = (log.storage, log.configuration, log.erasures)
        self.rewriting = rewriting
    }

    /// A copy of a log while it is written, for reading; the log has the symbols.
    init(reading copy: LogTables, of log: EventLog) {
        (storage, configuration) = (LogStorage(copy), log.configuration)
        (end, journal) = (Locked(LogEnd(symbols: log.symbols)), Locked(.none))
        (rewriting, erasures) = (nil, Locked(UnfinishedErasures()))
    }

    /// The environment that holds the log now.
    package var environment: Environment { storage.tables.environment }

    /// Whether events are others than those of the log, so that positions may hold none or several.
    package var isRewritten: Bool { rewriting != nil }

    /// The symbols of the log as it is now; whoever reads a snapshot takes the snapshot's.
    package var symbols: SymbolTable { rewriting?.symbols ?? end.withLock { $0.symbols } }

    /// Whether events name what the log does not, so that some of their numbers are of no other log.
    package var hasOwnSymbols: Bool { rewriting?.symbols != nil }

    /// The position of the last record that this process knows of, durable or not.
    package var lastPosition: Position { end.withLock { $0.position } }

    /// The position of the last record that this process knows to be durable, as configured.
    package var durablePosition: Position { end.withLock { $0.durable } }

    /// The position of the last record that this process knows to be in the log's environment.
    package var committedPosition: Position { end.withLock { $0.committed } }

    /// How many batches are not durable yet, and the bytes of their records.
    package var waiting: (batches: Int, bytes: Int) {
        end.withLock { ($0.waiting.count, $0.waiting.reduce(0) { $0 + $1.batch.byteCount }) }
    }

    /// The bytes of the records that are not committed yet.
    package var uncommittedBytes: Int { end.withLock { $0.stagedBytes } }

    /// A snapshot of the log, with the records that are not durable yet; short-lived, bound to the thread's scope.
    @available(*, noasync)
    package func snapshot() throws -> LogSnapshot {
        try snapshot { $0.staged[...] }
    }

    /// A snapshot of what is durable; short-lived, bound to the thread's scope.
    @available(*, noasync)
    package func durableSnapshot() throws -> LogSnapshot {
        try snapshot { $0.staged.dropLast($0.waiting.count) }
    }

    @available(*, noasync)
    private func snapshot(_ visible: (LogEnd) -> ArraySlice<PreparedAppend>) throws -> LogSnapshot {
        if case .following(let follower) = journal.withLock({ $0 }) {
            let looksForErasures = erasures.withLock { $0.isWriterThere != nil }
            var waiting: ContinuousClock.Instant?
            while true {
                if waiting != nil { FileSystem.pause(milliseconds: 2) }
                // The journal is read first: what is used again meanwhile is committed.
                try followCompaction()
                let content = try follower.content()
                let tables = storage.tables
                let owed = looksForErasures ? try tables.owedForReading() : nil
                var snapshot = LogSnapshot(
                    transaction: try tables.environment.beginRead(), tables,
                    symbols: rewriting?.symbols ?? content.symbols, rewriting: rewriting)
                // Others may have been committed with the positions and numbers of frames that were taken back since.
                guard try follower.isCurrent(content), isCurrent(tables) else { continue }
                try snapshot.add(content.runs)
                if let owed, try !isErased(snapshot, owed, since: &waiting) { continue }
                return snapshot
            }
        }
        while true {
            // The staged batches are read first here, too: a commit in between shows a record twice rather than not at
            // all.
            let (staged, symbols) = end.withLock { (visible($0), $0.symbols) }
            let tables = storage.tables
            let transaction = try tables.environment.beginRead()
            // If events were taken back since, the snapshot may have others at their positions.
            guard end.withLock({ $0.symbols === symbols }) else { continue }
            return LogSnapshot(
                transaction: transaction, tables, symbols: rewriting?.symbols ?? symbols, staged: staged,
                rewriting: rewriting)
        }
    }
}

extension EventLog {
    /// Entries and bytes of the log's tables.
    package func tableStatistics() throws -> [(name: String, statistics: TableStatistics)] {
        let stored = storage.tables
        let tables =
            [stored.records, stored.names, stored.numbers]
            + [
                try stored.subscriptionTable(create: false), try stored.owedTable(create: false), stored.gaps,
                stored.cutIdentities,
            ].compactMap { $0 }
        return try stored.environment.read { transaction in
            try tables.map { ($0.name, try transaction.statistics(of: $0)) }
        }
    }
}
