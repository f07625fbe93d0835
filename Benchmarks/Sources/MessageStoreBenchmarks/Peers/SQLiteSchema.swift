/// Tables and statements of the SQLite peer: the same views as MessageStore has for an offline sync.
enum SQLiteSchema {
    static func sql(keepsEvents: Bool) -> String { tables + (keepsEvents ? events : messages) }

    private static let tables = """
        CREATE TABLE IF NOT EXISTS conversation(
          number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL, name TEXT, peer TEXT,
          activity INTEGER NOT NULL DEFAULT 0, last_time INTEGER NOT NULL DEFAULT -1, last_id TEXT NOT NULL DEFAULT '',
          last_message INTEGER, unread INTEGER NOT NULL DEFAULT 0, members INTEGER NOT NULL DEFAULT 0,
          is_muted INTEGER NOT NULL DEFAULT 0, is_pinned INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX IF NOT EXISTS conversation_activity ON conversation(is_pinned, activity);
        CREATE INDEX IF NOT EXISTS conversation_name ON conversation(name);
        CREATE TABLE IF NOT EXISTS profile(id TEXT PRIMARY KEY, name TEXT, avatar TEXT) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS member(
          conversation INTEGER NOT NULL, user TEXT NOT NULL, PRIMARY KEY(conversation, user)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS floor(conversation TEXT PRIMARY KEY, time INTEGER, id TEXT) WITHOUT ROWID;

        """

    /// Messages alone, known by their ids.
    private static let messages = """
        CREATE TABLE IF NOT EXISTS message(
          position INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, server_id TEXT NOT NULL, sender TEXT NOT NULL,
          time INTEGER NOT NULL, is_own INTEGER NOT NULL, text TEXT NOT NULL);
        CREATE UNIQUE INDEX IF NOT EXISTS message_id ON message(conversation, server_id);
        CREATE INDEX IF NOT EXISTS message_order ON message(conversation, time, server_id);
        """

    /// Every event, known by its id, and a row for each that is a message; texts stand in the event alone.
    private static let events = """
        CREATE TABLE IF NOT EXISTS event(
          position INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, id TEXT NOT NULL, kind INTEGER NOT NULL,
          sender TEXT NOT NULL, time INTEGER NOT NULL, is_own INTEGER NOT NULL, text TEXT NOT NULL);
        CREATE UNIQUE INDEX IF NOT EXISTS event_id ON event(conversation, id);
        CREATE TABLE IF NOT EXISTS message_row(
          position INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, server_id TEXT NOT NULL, sender TEXT NOT NULL,
          time INTEGER NOT NULL, is_own INTEGER NOT NULL);
        CREATE INDEX IF NOT EXISTS message_order ON message_row(conversation, time, server_id);
        CREATE VIEW IF NOT EXISTS message AS
          SELECT r.*, (SELECT e.text FROM event e WHERE e.position = r.position) AS text FROM message_row r;
        """

    static let insertMessage = """
        INSERT OR IGNORE INTO message(conversation, server_id, sender, time, is_own, text) VALUES (?, ?, ?, ?, ?, ?)
        """
    static let insertEvent = """
        INSERT OR IGNORE INTO event(conversation, id, sender, time, is_own, text, kind) VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    static let insertMessageRow = """
        INSERT INTO message_row(position, conversation, server_id, sender, time, is_own) VALUES (?, ?, ?, ?, ?, ?)
        """
    static let insertConversation = "INSERT INTO conversation(id, kind) VALUES (?, ?)"
    static let insertMember = "INSERT OR IGNORE INTO member(conversation, user) VALUES (?, ?)"
    static let deleteMember = "DELETE FROM member WHERE conversation = ? AND user = ?"
    static let updateCounts = "UPDATE conversation SET unread = unread + ?, members = members + ? WHERE number = ?"
    static let updateLast = """
        UPDATE conversation SET last_time = ?, last_id = ?, last_message = ?, activity = max(activity, ?)
        WHERE number = ? AND (last_time, last_id) < (?, ?)
        """
    static let insertProfile = "INSERT OR REPLACE INTO profile(id, name) VALUES (?, ?)"
    static let describeConversation =
        "INSERT INTO conversation(id, kind, name, peer, members) VALUES (?, ?, ?, ?, ?)"

    static let list = """
        SELECT c.id, c.kind, coalesce(c.name, q.name), c.activity, c.unread, c.members, c.is_muted, c.is_pinned,
          m.position, m.sender, m.time, m.text, p.name
        FROM conversation c LEFT JOIN message m ON m.position = c.last_message LEFT JOIN profile p ON p.id = m.sender
          LEFT JOIN profile q ON q.id = c.peer
        ORDER BY c.is_pinned DESC, c.activity DESC LIMIT ?
        """
    static let unreadTotal = "SELECT sum(unread) FROM conversation WHERE is_muted = 0"
    static let newest = """
        SELECT m.position, m.server_id, m.sender, m.time, m.is_own, m.text
        FROM message m
        WHERE m.conversation = (SELECT number FROM conversation WHERE id = ?)
        ORDER BY m.time DESC, m.server_id DESC LIMIT ?
        """
    static let before = """
        SELECT m.position, m.server_id, m.sender, m.time, m.is_own, m.text
        FROM message m
        WHERE m.conversation = (SELECT number FROM conversation WHERE id = ?) AND (m.time, m.server_id) < (?, ?)
        ORDER BY m.time DESC, m.server_id DESC LIMIT ?
        """
    static let message = """
        SELECT m.position, m.server_id, m.sender, m.time, m.is_own, m.text
        FROM message m
        WHERE m.conversation = (SELECT number FROM conversation WHERE id = ?) AND m.server_id = ?
        """
    static let conversation = """
        SELECT c.id, c.kind, coalesce(c.name, q.name), c.activity, c.unread, c.members, c.is_muted, c.is_pinned,
          m.position, m.sender, m.time, m.text, p.name
        FROM conversation c LEFT JOIN message m ON m.position = c.last_message LEFT JOIN profile p ON p.id = m.sender
          LEFT JOIN profile q ON q.id = c.peer
        WHERE
        """
    static let profile = "SELECT id, name, avatar FROM profile WHERE id = ?"
}
