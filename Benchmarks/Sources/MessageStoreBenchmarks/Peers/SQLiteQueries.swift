internal import GRDB

/// Reads of the SQLite peer, with prepared statements and plain structures.
enum SQLiteQueries {
    /// A row of the conversation list.
    struct ListRow {
        var id: String
        var kind: Int
        var name: String?
        var activity: Int64
        var unread: Int
        var members: Int
        var isMuted: Bool
        var isPinned: Bool
        var last: LastMessage?
    }

    /// What the list shows of the last message.
    struct LastMessage {
        var position: Int64
        var sender: String
        var time: Int64
        var text: String
        var senderName: String?
    }

    /// A row of a timeline.
    struct MessageRow {
        var position: Int64
        var serverID: String
        var sender: String
        var time: Int64
        var isOwn: Bool
        var text: String
    }

    static func list(_ db: Database, limit: Int = 50) throws -> [ListRow] {
        try rows(db, SQLiteSchema.list, [limit], listRow)
    }

    static func mute(_ db: Database, _ id: String, _ isMuted: Bool) throws {
        try db.cachedStatement(sql: "UPDATE conversation SET is_muted = ? WHERE id = ?").execute(arguments: [
            isMuted, id,
        ])
    }

    static func conversation(_ db: Database, id: String) throws -> ListRow? {
        try rows(db, SQLiteSchema.conversation + " c.id = ?", [id], listRow).first
    }

    static func conversations(_ db: Database, named name: String) throws -> [ListRow] {
        try rows(
            db, SQLiteSchema.conversation + " c.name = ? ORDER BY c.is_pinned DESC, c.activity DESC LIMIT 10", [name],
            listRow)
    }

    static func unreadTotal(_ db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: SQLiteSchema.unreadTotal)) ?? 0
    }

    static func newest(_ db: Database, _ conversation: String, limit: Int = 20) throws -> [MessageRow] {
        try rows(db, SQLiteSchema.newest, [conversation, limit], messageRow)
    }

    static func before(
        _ db: Database, _ conversation: String, time: Int64, id: String, limit: Int = 20
    ) throws -> [MessageRow] {
        try rows(db, SQLiteSchema.before, [conversation, time, id, limit], messageRow)
    }

    static func message(_ db: Database, _ conversation: String, id: String) throws -> MessageRow? {
        try rows(db, SQLiteSchema.message, [conversation, id], messageRow).first
    }

    static func profileName(_ db: Database, _ user: String) throws -> String? {
        try rows(db, SQLiteSchema.profile, [user]) { $0[1] as String? }.first ?? nil
    }

    private static func rows<Element>(
        _ db: Database, _ sql: String, _ arguments: StatementArguments, _ element: (Row) -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        let cursor = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try cursor.next() { elements.append(element(row)) }
        return elements
    }

    private static func listRow(_ row: Row) -> ListRow {
        var last: LastMessage?
        if let position = row[8] as Int64? {
            last = LastMessage(position: position, sender: row[9], time: row[10], text: row[11], senderName: row[12])
        }
        return ListRow(
            id: row[0], kind: row[1], name: row[2], activity: row[3], unread: row[4], members: row[5],
            isMuted: row[6], isPinned: row[7], last: last)
    }

    private static func messageRow(_ row: Row) -> MessageRow {
        MessageRow(
            position: row[0], serverID: row[1], sender: row[2], time: row[3], isOwn: row[4], text: row[5])
    }

    /// What the tables say: unread counts and last messages as they are kept, messages one by one.
    static func digest(_ db: Database) throws -> ViewDigest {
        var digest = ViewDigest()
        var counts: [String: Int] = [:]
        let messages = try Row.fetchCursor(
            db, sql: "SELECT c.id, m.time, m.server_id FROM message m JOIN conversation c ON c.number = m.conversation")
        while let row = try messages.next() {
            let conversation: String = row[0]
            counts[conversation, default: 0] += 1
            digest.addMessage(conversation, timeMs: row[1], id: row[2])
        }
        let conversations = try Row.fetchCursor(
            db,
            sql: "SELECT c.id, c.unread, m.server_id FROM conversation c JOIN message m ON m.position = c.last_message")
        while let row = try conversations.next() {
            let id: String = row[0]
            digest.addConversation(id, unread: row[1], last: row[2], count: counts[id] ?? 0)
        }
        return digest
    }
}
