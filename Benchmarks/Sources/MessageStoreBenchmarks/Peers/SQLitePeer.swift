internal import GRDB
internal import MessageStore

/// What a good app engineer writes today: GRDB on SQLite, WAL, one transaction a package, prepared statements, counters
/// and last messages kept by increments, known messages ignored by a unique index. It keeps messages, and of joins and
/// leaves what they change; with an event table it keeps every event, as MessageStore does, and ignores every known one.
final class SQLitePeer: SyncPeer {
    /// How much of a commit survives power loss.
    enum Synchronous: String {
        /// Each commit is on disk: what MessageStore does.
        case full = "FULL"
        /// Commits since the last checkpoint may be lost: GRDB's default with WAL.
        case normal = "NORMAL"
    }

    let pool: DatabasePool
    let backlog: Backlog
    let keepsEvents: Bool
    private let packagesInTransaction: Int
    private var packages: [[SyncEvent]] = []
    private var conversationNumbers: [String: Int64] = [:]
    /// Up to where messages are erased, by conversation; what comes below is dropped.
    var floors: [String: Place] = [:]
    private var written = 0

    init(
        at path: String, _ backlog: Backlog, _ synchronous: Synchronous, keepsEvents: Bool = false,
        packagesInTransaction: Int = 1
    ) throws {
        self.backlog = backlog
        self.keepsEvents = keepsEvents
        self.packagesInTransaction = packagesInTransaction
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        // The pool chooses NORMAL when it opens, so this comes after.
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue); PRAGMA wal_autocheckpoint = 8192")
            let level = try Int.fetchOne(db, sql: "PRAGMA synchronous")
            guard level == (synchronous == .full ? 2 : 1) else {
                throw Failure("SQLite runs at another level of synchronisation")
            }
        }
        try pool.write { db in
            try db.execute(sql: SQLiteSchema.sql(keepsEvents: keepsEvents))
            try load(db)
        }
    }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) { self.packages = packages }

    /// Records a package; the first of those that share a transaction records them all.
    func ingest(_ package: Int) throws {
        guard package % packagesInTransaction == 0 else { return }
        let shared = packages[package..<min(package + packagesInTransaction, packages.count)]
        try pool.write { try write(shared.count == 1 ? packages[package] : Array(shared.joined()), $0) }
        written += 1
    }

    /// What a package changes in a conversation's row.
    private struct Change {
        var unread = 0
        var members = 0
        var last: (time: Int64, id: String, position: Int64)?
    }

    private func write(_ events: [SyncEvent], _ db: Database) throws {
        let inserts = try SQLiteInserts(db, keepsEvents: keepsEvents)
        var changes: [Int64: Change] = [:]
        for event in events {
            if isErased(event) { continue }
            let number = try conversationNumber(event, db)
            let sender = backlog.users[Int(event.sender)].rawValue
            guard try inserts.insert(event, number, sender, db) else { continue }
            guard event.kind == .text else {
                changes[number, default: Change()].members += try setMember(sender, number, event.kind, db)
                continue
            }
            var change = changes[number] ?? Change()
            if !event.isOwn { change.unread += 1 }
            if change.last.map({ ($0.time, $0.id) < (event.timeMs, event.id) }) ?? true {
                change.last = (event.timeMs, event.id, db.lastInsertedRowID)
            }
            changes[number] = change
        }
        for (number, change) in changes { try update(number, change, db) }
    }

    private func update(_ number: Int64, _ change: Change, _ db: Database) throws {
        if change.unread != 0 || change.members != 0 {
            let count = try db.cachedStatement(sql: SQLiteSchema.updateCounts)
            count.setUncheckedArguments([change.unread, change.members, number])
            try count.execute()
        }
        if let last = change.last {
            let update = try db.cachedStatement(sql: SQLiteSchema.updateLast)
            update.setUncheckedArguments([last.time, last.id, last.position, last.time, number, last.time, last.id])
            try update.execute()
        }
    }

    func setMember(_ user: String, _ number: Int64, _ kind: SyncEvent.Kind, _ db: Database) throws -> Int {
        let sql = kind == .joined ? SQLiteSchema.insertMember : SQLiteSchema.deleteMember
        let statement = try db.cachedStatement(sql: sql)
        statement.setUncheckedArguments([number, user])
        try statement.execute()
        guard db.changesCount > 0 else { return 0 }
        return kind == .joined ? 1 : -1
    }

    private func conversationNumber(_ event: SyncEvent, _ db: Database) throws -> Int64 {
        let key = backlog.conversations[Int(event.conversation)]
        if let number = conversationNumbers[key.id] { return number }
        let insert = try db.cachedStatement(sql: SQLiteSchema.insertConversation)
        insert.setUncheckedArguments([key.id, key.kind.rawValue])
        try insert.execute()
        conversationNumbers[key.id] = db.lastInsertedRowID
        return db.lastInsertedRowID
    }

    private func isErased(_ event: SyncEvent) -> Bool {
        guard !floors.isEmpty, event.kind == .text,
            let floor = floors[backlog.conversations[Int(event.conversation)].id]
        else { return false }
        return Place(event) <= floor
    }

    var account: String { backlog.account.rawValue }

    /// A conversation that was described gets its number by this.
    func remember(_ conversation: String, _ number: Int64) { conversationNumbers[conversation] = number }

    /// A conversation that was deleted has no number.
    func forget(_ conversation: String) { conversationNumbers[conversation] = nil }

    /// The number of a conversation that has a row.
    func number(of conversation: String) -> Int64? { conversationNumbers[conversation] }

    /// The same of one that must have a row.
    func known(_ conversation: String) throws -> Int64 {
        guard let number = conversationNumbers[conversation] else {
            throw Failure("SQLite has no conversation \(conversation)")
        }
        return number
    }

    func readViews() throws {
        _ = try pool.read { db in (try SQLiteQueries.list(db), try SQLiteQueries.unreadTotal(db)) }
    }

    func flush() throws {
        _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    func digest() throws -> ViewDigest? { try pool.read { try SQLiteQueries.digest($0) } }

    func keptEvents() throws -> Int? {
        let table = keepsEvents ? "event" : "message"
        return try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
    }

    func commits() throws -> Int? { written }

    func close() throws { try pool.close() }
}
