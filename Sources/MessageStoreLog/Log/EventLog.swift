internal import Dispatch
package import MessageStoreLMDB
package import MessageStoreSealing

/// The append-only log, from which everything else in a store is derived.
///
/// Three tables: records by position, and the two directions of the symbols; a fourth, where there are subscribers, for
/// their positions. There is one appender at a time; the owner sees to that. Readers take snapshots and never wait.
package final class EventLog: Sendable {
    let storage: LogStorage
    /// How the log was opened.
    package let configuration: Environment.Configuration
    /// Answers the key of the log in its directory; nil if that is the configuration's for good.
    package typealias FindKey = @Sendable () throws -> SecretKey?

    let findKey: FindKey?
    private let findSegmentKey: @Sendable () -> SecretKey?
    /// Seals segments of the log, and opens them; nil for clear ones.
    var segmentKey: SecretKey? { findSegmentKey() }
    let end: Locked<LogEnd>
    /// The journal that makes events durable before they are committed, in this process or in another one.
    let journal: Locked<JournalUse>
    /// Held while events are written to the journal. Whoever holds both locks takes this one first.
    let journaling = Locked(())
    /// Held during a commit.
    let committing = Locked(())
    let ownership = Locked(Ownership())
    /// Records that were changed since the compaction that is under way began, and may have been copied before; nil if
    /// there is none.
    let compaction = Locked<[Position]?>(nil)
    let backgroundCommits = Locked(BackgroundCommits())
    let erasures: Locked<UnfinishedErasures>
    /// The queue of commits that nobody waits for.
    let commitQueue = DispatchQueue(label: "MessageStore.log", qos: .utility)
    /// Other events in the place of some of the log's; nil but in a log that is only replayed.
    private let rewriting: LogRewriting?

    /// Opens the log in the directory `path`.
    ///
    /// - Parameters:
    ///   - types: The types of events; hosts' types are described in the log.
    ///   - findKey: Answers the key that the directory has now, in the place of the configuration's: a compaction of another
    ///     process may give the log another one.
    ///   - segmentKey: Answers the key that seals segments now, and opens them; nil for clear ones.
    /// - Throws: ``StoreError``, `LMDBError` or `FileError`; a log that exists is never replaced.
    package init(
        path: String, configuration: Environment.Configuration, types: EventTypes = .builtIn,
        findKey: FindKey? = nil, segmentKey: @escaping @Sendable () -> SecretKey? = { nil }
    ) throws {
        (self.configuration, self.findKey, findSegmentKey) = (configuration, findKey, segmentKey)
        storage = LogStorage(try LogTables(path: path, configuration: configuration, findKey: findKey))
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
        (findKey, findSegmentKey) = (log.findKey, log.findSegmentKey)
        self.rewriting = rewriting
    }

    /// A copy of a log while it is written, for reading; the log has the symbols.
    init(reading copy: LogTables, of log: EventLog) {
        (storage, configuration) = (LogStorage(copy), log.configuration)
        (findKey, findSegmentKey) = (log.findKey, log.findSegmentKey)
        (end, journal) = (Locked(LogEnd(symbols: log.symbols)), Locked(.none))
        (rewriting, erasures) = (nil, Locked(UnfinishedErasures()))
    }

    /// The environment that holds the log now.
    package var environment: Environment { storage.tables.environment }

    /// Whether events differ from the log's, so that positions may hold none or several.
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
        if case .following(let reader) = journal.withLock({ $0 }) {
            let looksForErasures = erasures.withLock { $0.isWriterThere != nil }
            var waiting: ContinuousClock.Instant?
            while true {
                if waiting != nil { FileSystem.pause(milliseconds: 2) }
                // The journal is read first: a file that is used again meanwhile has committed events.
                try followCompaction()
                let tables = storage.tables
                let content: JournalReader.Content
                do { content = try reader.content() } catch {
                    // Frames of the log that took this one's place may have another key.
                    guard !isCurrent(tables) else { throw error }
                    continue
                }
                let owed = looksForErasures ? try tables.owedForReading() : nil
                var snapshot = LogSnapshot(
                    transaction: try tables.environment.beginRead(), tables,
                    symbols: rewriting?.symbols ?? content.symbols, rewriting: rewriting)
                // Others may have been committed with the positions and numbers of frames that were taken back since.
                guard try reader.isCurrent(content), isCurrent(tables) else { continue }
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

/// Whose log it is: the log's own answer, to be compared with the file next to it that says so too.
package struct LogOwner: Sendable, Equatable {
    /// The store's account.
    package let account: UserID
    /// The store's id; nil in a log that no version which notes it has opened for writing yet.
    package let storeID: [UInt8]?
}

extension EventLog {
    /// Whether nobody else can have opened the log for writing.
    struct Ownership {
        var isOwner: @Sendable () -> Bool = { true }
    }

    /// Whose log it is.
    ///
    /// - Throws: ``StoreError`` with code `logDamaged`.
    package func owner() throws -> LogOwner {
        try symbols.read { transaction, tables in
            let account = try symbols.storedName(.user, 1, in: transaction, tables)
            return LogOwner(
                account: UserID(String(decoding: account, as: UTF8.self)),
                storeID: try tables.name(.store, 1, in: transaction))
        }
    }

    /// Notes the store's id in a log that an earlier version made.
    package func note(storeID: [UInt8]) throws {
        try storage.tables.write([.init(space: .store, number: 1, bytes: storeID)])
    }
}

/// The declarations of hosts' types of events: written once for each version, and never removed, so that programs
/// without the host's code can still show its events.
extension EventLog {
    /// The descriptions that the log holds, by type and version.
    package func eventDescriptions() throws -> [EventDescription] {
        try symbols.names(of: .hostEvent).map { name in
            guard let description = EventDescription(number: name.number, bytes: name.bytes) else {
                throw StoreError(.logDamaged, "the description of an event type cannot be read")
            }
            return description
        }
    }

    /// Compares the registered types with the log, and describes in it what it does not know yet.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a number belongs to another name in this log, or a
    ///   field had another type in the same version.
    func describeTypes(isReadOnly: Bool) throws {
        guard !symbols.types.hosts.isEmpty else { return }
        let stored = try eventDescriptions()
        var new: [EventDescription] = []
        for entry in symbols.types.hosts.values {
            var description = EventDescription(entry)
            if let other = stored.first(where: { $0.isAtOdds(with: description) }) {
                throw StoreError(
                    .invalidArgument,
                    "\(description.name) has the number \(description.type), and \(other.name) has the number "
                        + "\(other.type) in this store: names and numbers are kept", path: environment.path)
            }
            if let known = stored.first(where: { $0.number == description.number }) {
                description = try description.merging(known)
                if description.bytes == known.bytes { continue }
            }
            new.append(description)
        }
        guard !isReadOnly, !new.isEmpty else { return }
        try describe(new)
    }

    /// Writes descriptions as another log had them.
    package func describe(_ descriptions: [EventDescription]) throws {
        try storage.tables.write(descriptions.map { .init(space: .hostEvent, number: $0.number, bytes: $0.bytes) })
    }
}

/// How far each durable subscriber has come: a table of the log, since it refers to the log and must outlive the views.
///
/// A log that never had a subscriber has no such table; the first position makes it.
extension EventLog {
    /// Every subscriber that has a position, by the order of the names' bytes.
    package func subscriptionPositions() throws -> [(name: String, position: Position)] {
        let tables = storage.tables
        guard let table = try tables.subscriptionTable(create: false) else { return [] }
        return try tables.environment.read { transaction in
            var found: [(name: String, position: Position)] = []
            var cursor = try transaction.cursor(in: table)
            while try cursor.move(.next) { found.append((cursor.key.string, try Self.position(cursor.value))) }
            return found
        }
    }

    /// The position of one subscriber, or nil.
    package func subscriptionPosition(of name: String) throws -> Position? {
        let tables = storage.tables
        guard let table = try tables.subscriptionTable(create: false) else { return nil }
        let key = Array(name.utf8)
        return try tables.environment.read { transaction in
            guard let value = try transaction.value(for: key.span.bytes, in: table) else { return nil }
            return try Self.position(value)
        }
    }

    /// Sets a subscriber's position; nil forgets it. Must not be done while events are appended.
    package func setSubscriptionPosition(_ position: Position?, of name: String) throws {
        let tables = storage.tables
        guard let table = try tables.subscriptionTable(create: position != nil) else { return }
        let key = Array(name.utf8)
        try tables.environment.write { transaction in
            guard let position else {
                try transaction.remove(key.span.bytes, in: table)
                return
            }
            let value = [position.rawValue.bigEndian]
            try transaction.put(value.span.bytes, for: key.span.bytes, in: table)
        }
    }

    /// Takes positions beyond the log's end back to it: events that were delivered and not durable are gone, and others
    /// get their positions.
    func limitSubscriptionPositions() throws {
        let last = lastPosition
        for (name, position) in try subscriptionPositions() where position > last {
            try setSubscriptionPosition(last, of: name)
        }
    }

    private static func position(_ value: RawSpan) throws -> Position {
        // No log reaches the greatest number; the arithmetic on positions relies on it.
        guard value.byteCount == 8, let number = value.loadBigEndian(at: 0, as: UInt64.self), number < UInt64.max else {
            throw StoreError(.logDamaged, "a subscriber's position cannot be read")
        }
        return Position(number)
    }
}
