internal import MessageStoreLMDB

/// The environment that holds a log, with its tables.
final class LogTables: Sendable {
    let environment: Environment
    let records: Table
    /// Space and number → checksum and string.
    let names: Table
    /// Space and string → number.
    let numbers: Table
    let wordPositions = WordPositions()
    /// The positions of subscribers; opened when it is first needed.
    let subscriptions = Locked<Table?>(nil)
    /// The table of what is left of erased bytes; opened when it is first needed.
    let owed = Locked<Table?>(nil)
    /// The tables of records that were cut off; only a copy that leaves records out makes them.
    private let cutTables = Locked(CutTables())

    /// Whether words and ids are sealed.
    let isSealed: Bool

    private static let names = ["records", "symbolNames", "symbolNumbers"]
    /// The envelope of a record, by which scans select, stays clear. Checksums are those of the sealed bytes.
    static let sealedForms = [
        "records": SealedForm(clearBytes: RecordLayout.headerSize) { _, record in RecordView.checksum(of: record) },
        "symbolNames": SealedForm(clearBytes: 8) { key, value in checksum(ofName: value, key) },
        "symbolNumbers": SealedForm { _ in 1 },
        "subscriptions": SealedForm { _ in 0 },
    ]
    private static let cutNames = ["gaps", "cutIdentities"]

    /// Opens the tables of a log, or makes them.
    ///
    /// - Parameter findKey: Answers the key that the directory has now; nil for that of the configuration.
    /// - Throws: ``StoreError``, `LMDBError` or `FileError`; a log that exists is never replaced.
    init(path: String, configuration: Environment.Configuration, findKey: EventLog.FindKey? = nil) throws {
        environment = try Self.open(path, configuration, findKey)
        isSealed = environment.configuration.key != nil
        let tables: [Table]
        do {
            tables = try environment.openTables(
                Self.names, create: configuration.access == .create, sealed: Self.sealedForms)
        } catch let error as LMDBError where error.code == .notFound {
            throw StoreError(.logDamaged, "the log lacks a table: \(error)", path: path)
        }
        (records, names, numbers) = (tables[0], tables[1], tables[2])
        try openCutTables()
        guard cut.count > 0 else { return }
        let last = try environment.read { transaction in
            var cursor = try transaction.cursor(in: records)
            return try cursor.move(.last) ? cursor.key.loadBigEndian(at: 0, as: UInt64.self) : nil
        }
        guard let last, cut.replayStart.rawValue <= last else {
            throw StoreError(.logDamaged, "the log ends before the event that caused its last gap", path: path)
        }
    }

    /// The key of a symbol in ``numbers``.
    func numberKey(_ space: SymbolSpace, _ bytes: [UInt8]) -> [UInt8] {
        [space.rawValue] + bytes
    }

    private struct CutTables {
        var gaps: Table?
        var identities: Table?
        var extent = CutExtent()
    }

    /// The gaps of the log, by position; nil if it is whole.
    var gaps: Table? { cutTables.withLock { $0.gaps } }

    /// Identities that recognise records that were cut off; nil if the log is whole.
    var cutIdentities: Table? { cutTables.withLock { $0.identities } }

    /// How much was cut off.
    var cut: CutExtent { cutTables.withLock { $0.extent } }

    private func openCutTables() throws {
        guard let tables = try open(Self.cutNames, create: false) else { return }
        var extent = CutExtent()
        try environment.read { transaction in
            try LogGap.forEach(in: tables[0], transaction) { extent.add($0) }
        }
        cutTables.withLock { $0 = CutTables(gaps: tables[0], identities: tables[1], extent: extent) }
    }

    /// Opens tables; nil if they are not there, and are not made.
    private func open(_ names: [String], create: Bool) throws -> [Table]? {
        do {
            return try environment.openTables(names, create: create, sealed: Self.sealedForms)
        } catch let error as LMDBError where error.code == .notFound {
            return nil
        }
    }

    /// Makes the tables of what was cut off in an empty log, and fills them.
    ///
    /// - Parameters:
    ///   - gaps: In any order, none with a position of another.
    ///   - identities: In any order, some more than once.
    func writeCut(_ gaps: [LogGap], _ identities: [IdentityKey]) throws {
        let (gaps, identities) = (gaps.joined, identities.withoutRepeats)
        let tables = try environment.openTables(Self.cutNames, create: true)
        try environment.write { transaction in
            for gap in gaps { try gap.put(in: tables[0], transaction) }
            try CutIdentities.put(identities[...], in: tables[1], transaction)
        }
        try openCutTables()
    }

    /// Opens the environment; once more where a compaction of another process exchanged the directory meanwhile.
    private static func open(
        _ path: String, _ configuration: Environment.Configuration, _ findKey: EventLog.FindKey?
    ) throws -> Environment {
        var (attempts, configuration) = (configuration.access == .readOnly ? 5 : 1, configuration)
        while true {
            let before = try FileSystem.status(of: path)
            attempts -= 1
            do {
                if let findKey { configuration.key = try findKey() }
                let environment = try Environment(path: path, configuration: configuration)
                if attempts == 0 || environment.isStill(at: path) { return environment }
            } catch {
                let after = try FileSystem.status(of: path)
                guard attempts > 0, before?.inode != after?.inode else { throw error }
            }
        }
    }

    /// The table of subscribers' positions; nil if it was not made.
    func subscriptionTable(create: Bool) throws -> Table? {
        try table("subscriptions", subscriptions, create: create)
    }

    /// The table of what is owed; nil if it was not made.
    func owedTable(create: Bool) throws -> Table? { try table("owed", owed, create: create) }

    /// Handles are opened under a lock because LMDB allows one opener at a time.
    private func table(_ name: String, _ known: Locked<Table?>, create: Bool) throws -> Table? {
        try known.withLock { table throws in
            if table == nil { table = try open([name], create: create)?.first }
            return table
        }
    }
}

/// The storage of a log. A compaction puts other tables in the place of the log's; reads that have begun end on the
/// ones that they began with.
final class LogStorage: Sendable {
    private let current: Locked<LogTables>
    /// Held while the log is opened that another process put in the place of this one.
    let following = Locked(())

    init(_ tables: LogTables) { current = Locked(tables) }

    var tables: LogTables { current.withLock { $0 } }

    func replace(by tables: LogTables) { current.withLock { $0 = tables } }
}
