internal import GRDB

/// The statements that insert what an event itself is.
struct SQLiteInserts {
    private let event: Statement?
    private let message: Statement

    init(_ db: Database, keepsEvents: Bool) throws {
        event = keepsEvents ? try db.cachedStatement(sql: SQLiteSchema.insertEvent) : nil
        message = try db.cachedStatement(sql: keepsEvents ? SQLiteSchema.insertMessageRow : SQLiteSchema.insertMessage)
    }

    /// Answers whether the event was new.
    func insert(_ new: SyncEvent, _ conversation: Int64, _ sender: String, _ db: Database) throws -> Bool {
        guard let event else {
            guard new.kind == .text else { return true }
            message.setUncheckedArguments([conversation, new.id, sender, new.timeMs, new.isOwn, new.text])
            try message.execute()
            return db.changesCount > 0
        }
        event.setUncheckedArguments([
            conversation, new.id, sender, new.timeMs, new.isOwn, new.text, Int(new.kind.rawValue),
        ])
        try event.execute()
        guard db.changesCount > 0 else { return false }
        if new.kind == .text {
            message.setUncheckedArguments([db.lastInsertedRowID, conversation, new.id, sender, new.timeMs, new.isOwn])
            try message.execute()
        }
        return true
    }
}
