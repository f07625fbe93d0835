#if SQLite
internal import MessageStoreCSQLite
internal import MessageStoreLMDB

/// Shown messages as an SQLite database, by the schema of `Docs/ExportFormat.md`.
struct MessageDatabase {
    private let shown: ShownMessages
    private let omitsText: Bool
    private let file: SQLiteOutput
    private var keys: [ConversationKey] = []
    private var users: [UserID: Int] = [:]

    static let version = 1
    private static let schema = """
        CREATE TABLE store(account TEXT NOT NULL, position INTEGER NOT NULL);
        CREATE TABLE users(id INTEGER PRIMARY KEY, user TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
        CREATE TABLE conversations(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
          name TEXT NOT NULL, listed INTEGER NOT NULL, pinned INTEGER NOT NULL, archived INTEGER NOT NULL,
          muted INTEGER NOT NULL, unread INTEGER NOT NULL, mentions INTEGER NOT NULL,
          marked_unread INTEGER NOT NULL, read_up_to INTEGER, members INTEGER NOT NULL, activity INTEGER,
          last_message INTEGER REFERENCES messages);
        CREATE TABLE members(conversation INTEGER NOT NULL REFERENCES conversations,
          user INTEGER NOT NULL REFERENCES users, name TEXT NOT NULL, role INTEGER NOT NULL,
          PRIMARY KEY(conversation, user)) WITHOUT ROWID;
        CREATE TABLE receipts(conversation INTEGER NOT NULL REFERENCES conversations,
          user INTEGER REFERENCES users, state TEXT NOT NULL, up_to INTEGER NOT NULL);
        CREATE TABLE messages(id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL REFERENCES conversations,
          place INTEGER NOT NULL, server_id TEXT, sender INTEGER NOT NULL REFERENCES users,
          sender_name TEXT NOT NULL, time INTEGER NOT NULL, recorded INTEGER NOT NULL, type TEXT NOT NULL, text TEXT,
          status TEXT NOT NULL, outgoing INTEGER NOT NULL, read INTEGER, counts_unread INTEGER NOT NULL,
          edited INTEGER NOT NULL, edited_time INTEGER, recalled INTEGER NOT NULL, redacted INTEGER NOT NULL,
          reply_to TEXT, forward_of TEXT, delivered_time INTEGER, read_time INTEGER, expires INTEGER);
        CREATE TABLE reactions(message INTEGER NOT NULL REFERENCES messages, reaction TEXT NOT NULL,
          user INTEGER REFERENCES users, count INTEGER NOT NULL);
        CREATE TABLE files(message INTEGER NOT NULL REFERENCES messages, number INTEGER NOT NULL, name TEXT,
          path TEXT, url TEXT, bytes INTEGER, state TEXT, PRIMARY KEY(message, number)) WITHOUT ROWID;
        """
    private static let indexes = """
        CREATE UNIQUE INDEX messages_by_place ON messages(conversation, place);
        CREATE INDEX messages_by_server_id ON messages(conversation, server_id);
        CREATE INDEX messages_by_time ON messages(time);
        CREATE INDEX messages_by_sender ON messages(sender, time);
        CREATE INDEX reactions_by_message ON reactions(message);
        """

    /// - Parameter path: The file, which is created.
    init(_ shown: ShownMessages, omitsText: Bool, at path: String) throws {
        try FileSystem.create(path, bytes: [])
        (self.shown, self.omitsText, file) = (shown, omitsText, try SQLiteOutput(path))
    }

    /// Writes all rows, and compares their sums with the views.
    mutating func write(_ views: borrowing Views) throws {
        // Nobody sees the file before it is whole.
        try file.run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA application_id=0x4D534753;")
        try file.run("PRAGMA user_version=\(Self.version);\n" + Self.schema)
        try file.insert("store", shown.account.rawValue, Int(clamping: views.position.rawValue))
        try shown.forEachConversation(views) { conversation in
            keys.append(conversation.key)
            var place = 0
            try shown.forEachPage(of: conversation, views) { page in
                try file.run("BEGIN")
                if place == 0 { try add(conversation, views) }
                for message in page.elements {
                    place += 1
                    try add(message, at: place, views)
                }
                try file.run("COMMIT")
            }
        }
        try file.run(Self.indexes + "\nANALYZE;")
        try verify(views)
        try file.close()
    }

    private mutating func add(_ conversation: Conversation, _ views: borrowing Views) throws {
        let (key, unread) = (conversation.key, conversation.unread)
        let isListed = ConversationBoolean.all.first { $0.name == "listed" }?.value(conversation) ?? false
        try file.insert(
            "conversations", keys.count, key.description, conversation.kind.description, conversation.displayName,
            isListed, conversation.isPinned, conversation.isArchived, conversation.isMuted, unread.messages,
            unread.mentions, unread.isMarkedUnread, unread.readUpTo?.time, conversation.memberCount,
            conversation.activity, conversation.lastMessage?.id)
        var next: PageCursor?
        repeat {
            let page = try views.members(in: key, after: next, limit: Views.pageLimits.upperBound)
            for member in page.elements {
                let name = try views.displayName(of: member.id, in: key)
                try file.insert("members", keys.count, number(of: member.id, views), name, Int(member.role))
            }
            next = page.next
        } while next != nil
        try views.forEachMarker(in: key) { user, isRead, time in
            let user = try user.map { try number(of: $0, views) }
            try file.insert("receipts", keys.count, user, isRead ? "read" : "delivered", time)
        }
    }

    private mutating func add(_ message: Message, at place: Int, _ views: borrowing Views) throws {
        try file.insert(
            "messages", message.id, keys.count, place, message.serverID?.rawValue, number(of: message.sender, views),
            views.senderName(of: message), message.time, message.recordedTime, message.content.type.rawValue,
            omitsText ? nil : message.text, message.status.description, message.isOutgoing, message.isRead,
            message.countsUnread, message.isModified, views.editedTime(of: message), message.isRecalled,
            message.isRedacted, message.context.replyTo?.rawValue, message.context.forwardOf?.rawValue,
            message.deliveredTime, message.readTime, message.expires)
        for reaction in try views.reactions(to: .local(message.id), in: message.conversation) {
            for user in reaction.users {
                try file.insert("reactions", message.id, reaction.key, number(of: user, views), 1)
            }
            let unnamed = reaction.count - reaction.users.count
            if unnamed > 0 { try file.insert("reactions", message.id, reaction.key, nil, unnamed) }
        }
        for file in try views.files(of: message) {
            let words = omitsText ? [nil, nil, nil] : [file.name, file.path, file.url]
            try self.file.insert(
                "files", message.id, file.number, words[0], words[1], words[2], file.bytes.map { Int(clamping: $0) },
                file.state)
        }
    }

    /// The row of a user, which is added with the first use.
    private mutating func number(of user: UserID, _ views: borrowing Views) throws -> Int {
        if let number = users[user] { return number }
        let number = users.count + 1
        users[user] = number
        try file.insert("users", number, user.rawValue, try views.profile(user).displayName)
        return number
    }

    /// Compares the sums of each conversation, which are counted once more from the newest message on, and the total.
    private func verify(_ views: borrowing Views) throws {
        let rows = try file.rows(
            """
            SELECT unread, last_message, (SELECT count(*) FROM messages WHERE conversation = c.id),
              (SELECT sum(id) FROM messages WHERE conversation = c.id),
              (SELECT id FROM messages WHERE conversation = c.id ORDER BY place DESC LIMIT 1)
            FROM conversations AS c ORDER BY id
            """)
        guard rows.count == keys.count else { throw file.differs("the number of conversations") }
        for (key, row) in zip(keys, rows) {
            var (count, sum, newest, part): (Int64, Int64, LocalMessageID?, TimelinePart?) = (0, 0, nil, .latest)
            while let wanted = part {
                let page = try views.timeline(of: key, wanted, limit: Views.pageLimits.upperBound)
                newest = newest ?? page.elements.last?.id
                count += Int64(page.elements.count)
                for message in page.elements { sum &+= Int64(clamping: message.id.rawValue) }
                part = page.hasOlder ? page.elements.first.map { .before(.message(.local($0.id))) } : nil
            }
            let ids = try [views.conversation(key)?.lastMessage?.id, newest].map { Int64(clamping: $0?.rawValue ?? 0) }
            let expected = [Int64(try views.unread(of: key).messages), ids[0], count, sum, ids[1]]
            guard row == expected else { throw file.differs("the rows of \(key)") }
        }
        let unread = try file.rows("SELECT sum(unread) FROM conversations WHERE listed")
        let total = Int64(try views.unreadTotals(includesMuted: true).messages)
        guard !shown.chosen.isEmpty || unread == [[total]] else { throw file.differs("the number of unread messages") }
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
        inserts = [:]
        let code = sqlite3_close(database)
        database = nil
        try check(code)
    }

    /// Runs statements without values.
    func run(_ statements: String) throws { try check(sqlite3_exec(database, statements, nil, nil, nil)) }

    /// Adds a row; the number of values is that of the table's columns.
    func insert(_ table: String, _ values: (any SQLiteValue)?...) throws {
        let places = Array(repeating: "?", count: values.count).joined(separator: ",")
        let statement = try inserts[table] ?? prepare("INSERT INTO \(table) VALUES(\(places))")
        inserts[table] = statement
        for (index, value) in values.enumerated() {
            let column = Int32(clamping: index + 1)
            try check(value?.bind(to: statement, column) ?? sqlite3_bind_null(statement, column))
        }
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
        try check(sqlite3_reset(statement))
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

    func differs(_ what: String) -> ToolError {
        .check("\(what) in the database differ from the views; nothing was written")
    }

    private func prepare(_ text: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
        return statement
    }

    private func check(_ code: Int32) throws { if code != SQLITE_OK { throw failure } }

    private var failure: ToolError { .check("\(path) cannot be written: \(String(cString: sqlite3_errmsg(database)))") }
}

/// A value of a column.
private protocol SQLiteValue {
    func bind(to statement: OpaquePointer?, _ column: Int32) -> Int32
}

extension Int: SQLiteValue {
    func bind(to statement: OpaquePointer?, _ column: Int32) -> Int32 {
        sqlite3_bind_int64(statement, column, Int64(self))
    }
}

extension Bool: SQLiteValue {
    func bind(to statement: OpaquePointer?, _ column: Int32) -> Int32 { (self ? 1 : 0).bind(to: statement, column) }
}

extension Timestamp: SQLiteValue {
    func bind(to statement: OpaquePointer?, _ column: Int32) -> Int32 { Int(milliseconds).bind(to: statement, column) }
}

extension LocalMessageID: SQLiteValue {
    func bind(to statement: OpaquePointer?, _ column: Int32) -> Int32 {
        Int(clamping: rawValue).bind(to: statement, column)
    }
}

extension String: SQLiteValue {
    func bind(to statement: OpaquePointer?, _ column: Int32) -> Int32 {
        // The library copies the text.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(statement, column, $0.baseAddress, Int32(clamping: $0.count), copies)
            }
        }
    }
}
#endif
