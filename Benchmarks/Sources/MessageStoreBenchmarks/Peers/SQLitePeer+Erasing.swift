internal import GRDB
internal import MessageStore

/// Messages that are erased, and what a database that was there before knows.
extension SQLitePeer {
    /// Reads the numbers of conversations and the places up to which they are erased.
    func load(_ db: Database) throws {
        for row in try Row.fetchAll(db, sql: "SELECT id, number FROM conversation") { remember(row[0], row[1]) }
        for row in try Row.fetchAll(db, sql: "SELECT conversation, time, id FROM floor") {
            floors[row[0]] = Place(timeMs: row[1], id: row[2])
        }
    }

    func erase(_ erasure: Erasure) throws {
        let conversation = backlog.conversations[Int(erasure.conversation)].id
        try pool.write { db in
            try db.execute(
                sql: SQLiteSchema.insertFloor, arguments: [conversation, erasure.place.timeMs, erasure.place.id])
            // A conversation that was deleted has no row until the next message.
            guard let number = number(of: conversation) else { return }
            if erasure.deletesConversation {
                for sql in SQLiteSchema.deletions(keepsEvents: keepsEvents) {
                    try db.execute(sql: sql, arguments: [number])
                }
            } else {
                for sql in SQLiteSchema.clearings(keepsEvents: keepsEvents) {
                    try db.execute(sql: sql, arguments: [number, erasure.place.timeMs, erasure.place.id])
                }
                for sql in SQLiteSchema.recounts { try db.execute(sql: sql, arguments: ["number": number]) }
            }
        }
        floors[conversation] = erasure.place
        if erasure.deletesConversation { forget(conversation) }
    }
}

extension SQLiteSchema {
    static let insertFloor = "INSERT OR REPLACE INTO floor(conversation, time, id) VALUES (?, ?, ?)"

    /// What leaves with a conversation.
    static func deletions(keepsEvents: Bool) -> [String] {
        (keepsEvents ? ["message_row", "event"] : ["message"]).map { "DELETE FROM \($0) WHERE conversation = ?" } + [
            "DELETE FROM member WHERE conversation = ?", "DELETE FROM conversation WHERE number = ?",
        ]
    }

    /// What leaves up to a place; a table of events keeps them without their words, so that they are known again.
    static func clearings(keepsEvents: Bool) -> [String] {
        let part = "WHERE conversation = ? AND (time, server_id) <= (?, ?)"
        guard keepsEvents else { return ["DELETE FROM message \(part)"] }
        return [
            "UPDATE event SET text = '' WHERE position IN (SELECT position FROM message_row \(part))",
            "DELETE FROM message_row \(part)",
        ]
    }

    /// Counters and last message of the rest.
    static let recounts = [
        """
        UPDATE conversation SET
          unread = (SELECT count(*) FROM message WHERE conversation = :number AND is_own = 0),
          last_message = NULL, last_time = -1, last_id = ''
        WHERE number = :number
        """,
        """
        UPDATE conversation SET (last_message, last_time, last_id) =
          (SELECT position, time, server_id FROM message WHERE conversation = :number
           ORDER BY time DESC, server_id DESC LIMIT 1)
        WHERE number = :number AND EXISTS (SELECT 1 FROM message WHERE conversation = :number)
        """,
    ]
}
