#if SQLite
internal import MessageStoreCSQLite
internal import MessageStoreLMDB

/// Shown messages as an SQLite database, by the schema of `Docs/ExportFormat.md`.
struct MessageDatabase {
    private let shown: ShownMessages
    /// The columns that remain empty.
    private let omitted: Set<String>
    private let file: SQLiteOutput
    /// The sums of each conversation by the views: unread messages, the last message, and of those shown their number,
    /// the sum of their ids, and the newest one.
    private var sums: [[Int64]] = []
    private var users: [UserID: Int] = [:]

    static let tables = [
        "store": "account TEXT, position INTEGER",
        "users": "id INTEGER PRIMARY KEY, user TEXT UNIQUE, name TEXT",
        "conversations": """
        id INTEGER PRIMARY KEY, key TEXT UNIQUE, kind TEXT, name TEXT, listed INTEGER, pinned INTEGER, archived INTEGER, \
        muted INTEGER, unread INTEGER, mentions INTEGER, markedUnread INTEGER, readUpTo INTEGER, members INTEGER, \
        activity INTEGER, lastTime INTEGER, lastMessage INTEGER
        """,
        "members": "conversation INTEGER, user INTEGER, name TEXT, role INTEGER",
        "receipts": "conversation INTEGER, user INTEGER, read INTEGER, upTo INTEGER",
        "messages": """
        id INTEGER PRIMARY KEY, conversation INTEGER, place INTEGER, serverID TEXT, sender INTEGER, senderName TEXT, \
        time INTEGER, recordedTime INTEGER, type TEXT, text TEXT, status TEXT, outgoing INTEGER, read INTEGER, \
        countsUnread INTEGER, modified INTEGER, editedTime INTEGER, recalled INTEGER, redacted INTEGER, replyTo TEXT, \
        forwardOf TEXT, deliveredTime INTEGER, readTime INTEGER, expires INTEGER
        """,
        "reactions": "message INTEGER, reaction TEXT, user INTEGER, count INTEGER",
        "files": "message INTEGER, number INTEGER, fileName TEXT, path TEXT, url TEXT, bytes INTEGER, state TEXT",
    ]
    private static let indexes = """
        CREATE UNIQUE INDEX messagesByPlace ON messages(conversation, place);
        CREATE INDEX messagesByServerID ON messages(conversation, serverID);
        CREATE INDEX messagesByTime ON messages(time);
        CREATE INDEX messagesBySender ON messages(sender, time);
        CREATE INDEX reactionsByMessage ON reactions(message);
        CREATE INDEX filesByMessage ON files(message);
        CREATE INDEX membersByConversation ON members(conversation, user);
        ANALYZE;
        """

    /// - Parameter path: The file, which is created.
    init(_ shown: ShownMessages, omitsText: Bool, at path: String) throws {
        try FileSystem.create(path, bytes: [])
        (self.shown, file) = (shown, try SQLiteOutput(path))
        omitted = omitsText ? ["text", "fileName", "path", "url"] : []
    }

    /// Writes all rows, and compares their sums with the views.
    mutating func write(_ views: borrowing Views) throws {
        // Nobody sees the file before it is whole.
        try file.run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA application_id=0x4D534753")
        try file.run("PRAGMA user_version=1")
        for (name, columns) in Self.tables.ordered(by: { $0.key < $1.key }) {
            try file.run("CREATE TABLE \(name)(\(columns))")
        }
        try insert("store", [Fact("account", shown.account), Fact("position", Int(clamping: views.position.rawValue))])
        try shown.forEachConversation(views) { conversation in
            let key = conversation.key
            try file.run("BEGIN")
            try add(conversation, views)
            var (place, sum, newest): (Int, Int64, LocalMessageID?) = (0, 0, nil)
            try shown.forEachPage(of: key, views) { page in
                for message in page.elements {
                    (place, newest) = (place + 1, message.id)
                    sum &+= Int64(clamping: message.id.rawValue)
                    try add(message, at: place, views)
                }
                try file.run("COMMIT; BEGIN")
            }
            try file.run("COMMIT")
            let ids = try [views.conversation(key)?.lastMessage?.id, newest].map { Int64(clamping: $0?.rawValue ?? 0) }
            sums.append([Int64(try views.unread(of: key).messages), ids[0], Int64(place), sum, ids[1]])
        }
        try file.run(Self.indexes)
        try verify(views)
        try file.close()
    }

    private mutating func add(_ conversation: Conversation, _ views: borrowing Views) throws {
        let (number, key) = (Fact("conversation", sums.count + 1), conversation.key)
        let row = [Fact("id", sums.count + 1), Fact("kind", conversation.kind.description)] + conversation.facts
        try insert("conversations", row)
        var next: PageCursor?
        repeat {
            let page = try views.members(in: key, after: next, limit: Views.pageLimits.upperBound)
            for member in page.elements {
                let name = Fact("name", try views.displayName(of: member.id, in: key))
                try insert("members", [number, try user(member.id, views), name, Fact("role", Int(member.role))])
            }
            next = page.next
        } while next != nil
        try views.forEachMarker(in: key) { member, isRead, time in
            let member = try member.map { try user($0, views) } ?? Fact("user", .absent)
            try insert("receipts", [number, member, Fact("read", isRead), Fact("upTo", time)])
        }
    }

    private mutating func add(_ message: Message, at place: Int, _ views: borrowing Views) throws {
        let sender = Fact("sender", try user(message.sender, views).value)
        let facts = try views.facts(of: message)
        try insert("messages", [Fact("conversation", sums.count + 1), Fact("place", place), sender] + facts)
        let number = Fact("message", Int(clamping: message.id.rawValue))
        for reaction in try views.shownReactions(to: message) {
            let key = Fact("reaction", reaction.key)
            for member in reaction.users {
                try insert("reactions", [number, key, try user(member, views), Fact("count", 1)])
            }
            let unnamed = reaction.count - reaction.users.count
            if unnamed > 0 { try insert("reactions", [number, key, Fact("count", unnamed)]) }
        }
        for file in try views.files(of: message) {
            try insert("files", [number, Fact("fileName", file.file.name)] + file.facts)
        }
    }

    /// The row of a user, which is added with the first use.
    private mutating func user(_ user: UserID, _ views: borrowing Views) throws -> Fact {
        if let number = users[user] { return Fact("user", number) }
        let number = users.count + 1
        users[user] = number
        let name = Fact("name", try views.profile(user).displayName)
        try insert("users", [Fact("id", number), Fact("user", user), name])
        return Fact("user", number)
    }

    /// Adds a row of the facts that the table has columns for; of two with one name the first counts.
    private func insert(_ table: String, _ facts: [Fact]) throws {
        let values = Dictionary(facts.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let columns = Self.tables[table]?.split(separator: ", ").map { String($0.prefix { $0 != " " }) } ?? []
        try file.insert(table, columns.map { omitted.contains($0) ? .absent : values[$0] ?? .absent })
    }

    /// Compares the sums of each conversation, and the unread total.
    private func verify(_ views: borrowing Views) throws {
        let rows = try file.rows(
            """
            SELECT unread, lastMessage, (SELECT count(*) FROM messages WHERE conversation = c.id),
              (SELECT sum(id) FROM messages WHERE conversation = c.id),
              (SELECT id FROM messages WHERE conversation = c.id ORDER BY place DESC LIMIT 1)
            FROM conversations AS c ORDER BY id
            """)
        let unread = try file.rows("SELECT sum(unread) FROM conversations WHERE listed")
        let total = Int64(try views.unreadTotals(includesMuted: true).messages)
        guard rows == sums, !shown.chosen.isEmpty || unread == [[total]] else {
            throw ToolError.check("sums of the database differ from those of the views; nothing was written")
        }
    }
}

/// An SQLite file that is being written.
private final class SQLiteOutput {
    private let path: String
    private var database: OpaquePointer?
    private var inserts: [String: OpaquePointer] = [:]

    init(_ path: String) throws {
        self.path = path
        try check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil))
    }

    deinit { try? close() }

    /// Closes the file; nothing can be written after it.
    func close() throws {
        for statement in inserts.values { sqlite3_finalize(statement) }
        defer { (database, inserts) = (nil, [:]) }
        try check(sqlite3_close(database))
    }

    /// Runs statements without values.
    func run(_ statements: String) throws { try check(sqlite3_exec(database, statements, nil, nil, nil)) }

    /// Adds a row with a value for each column of a table.
    func insert(_ table: String, _ values: [Fact.Value]) throws {
        let places = values.map { _ in "?" }.joined(separator: ",")
        let statement = try inserts[table] ?? prepare("INSERT INTO \(table) VALUES(\(places))")
        inserts[table] = statement
        for (column, value) in zip(Int32(1)..., values) { try check(Self.bind(value, to: statement, column)) }
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
        try check(sqlite3_reset(statement))
    }

    private static func bind(_ value: Fact.Value, to statement: OpaquePointer?, _ column: Int32) -> Int32 {
        switch value {
        case .absent: sqlite3_bind_null(statement, column)
        case .number(let number): sqlite3_bind_int64(statement, column, Int64(number))
        case .flag(let flag): sqlite3_bind_int64(statement, column, flag ? 1 : 0)
        case .time(let time): sqlite3_bind_int64(statement, column, time.milliseconds)
        case .user(let user): bind(.text(user.rawValue), to: statement, column)
        case .text(let text):
            text.withCString { bytes in
                // SQLite copies the text.
                let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                return sqlite3_bind_text(statement, column, bytes, Int32(clamping: text.utf8.count), copies)
            }
        }
    }

    /// The rows of integers that a query gives; NULL is 0.
    func rows(_ query: String) throws -> [[Int64]] {
        let statement = try prepare(query)
        defer { sqlite3_finalize(statement) }
        var rows: [[Int64]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append((0..<sqlite3_column_count(statement)).map { sqlite3_column_int64(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw failure
            }
        }
    }

    private func prepare(_ text: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
        return statement
    }

    private func check(_ code: Int32) throws { if code != SQLITE_OK { throw failure } }

    private var failure: ToolError { .check("\(path) cannot be written: \(String(cString: sqlite3_errmsg(database)))") }
}
#endif
