#if SQLite
import Foundation
import MessageStoreCSQLite
import Testing

/// A database as an app leaves it, made by SQL statements.
final class OldDatabase {
    private let handle: OpaquePointer
    let path: String

    init(at path: String, _ script: String = "") throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        self.handle = try #require(handle)
        self.path = path
        try run(script)
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ script: String) throws {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    }

    /// The rows of a query, as texts.
    func rows(_ sql: String) throws -> [[String]] {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, "\(sql)")
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                })
        }
        return rows
    }

    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))"
    }

    /// Tables like those of a Matrix client: rooms, events with their JSON, receipts. Two messages share each time.
    static func matrix(_ count: Int) -> String {
        """
        BEGIN;
        CREATE TABLE room_summary (room_id TEXT PRIMARY KEY, display_name TEXT, membership TEXT, is_favourite INTEGER,
          last_activity INTEGER);
        CREATE TABLE timeline_event (event_id TEXT PRIMARY KEY, room_id TEXT, sender TEXT, type TEXT,
          origin_server_ts INTEGER, content TEXT, redacted INTEGER DEFAULT 0);
        CREATE TABLE read_receipt (room_id TEXT, user_id TEXT, event_id TEXT);
        \(numbers(count)) INSERT INTO timeline_event SELECT printf('$%08x', i), printf('!room%d:example.org', i * i % 61),
          CASE WHEN i % 5 = 2 THEN '@me:example.org' ELSE printf('@u%d:example.org', i % 13) END,
          CASE WHEN i % 23 = 7 THEN 'm.room.member' ELSE 'm.room.message' END, 1600000000000 + i / 2 * 1000,
          json_object('msgtype', 'm.text', 'body', printf('text %d 你好', i)), 0 FROM n;
        UPDATE timeline_event SET redacted = 1, content = '{}' WHERE rowid % 29 = 3;
        INSERT INTO room_summary SELECT room_id, 'Room ' || room_id, 'JOIN', length(room_id) % 2, max(origin_server_ts)
          FROM timeline_event GROUP BY room_id;
        INSERT INTO read_receipt SELECT room_id, '@me:example.org', max(event_id) FROM timeline_event
          WHERE type = 'm.room.message' AND rowid < \(count) / 2 GROUP BY room_id;
        INSERT INTO read_receipt SELECT room_id, '@u1:example.org', max(event_id) FROM timeline_event GROUP BY room_id;
        COMMIT;
        """
    }

    static let matrixMap = [
        "conversations": """
        SELECT r.room_id AS id, r.display_name AS name, r.is_favourite AS isPinned, r.last_activity AS activity,
          e.origin_server_ts AS readTime, e.event_id AS readID
        FROM room_summary r
        LEFT JOIN read_receipt p ON p.room_id = r.room_id AND p.user_id = '@me:example.org'
        LEFT JOIN timeline_event e ON e.event_id = p.event_id
        WHERE r.membership = 'JOIN'
        """,
        "messages": """
        SELECT room_id AS conversation, event_id AS serverID, sender, origin_server_ts AS time,
          json_extract(content, '$.body') AS text, redacted AS isRecalled
        FROM timeline_event WHERE type = 'm.room.message'
        """,
    ]

    /// The id, messages, unread messages and last message of each room, by SQL alone.
    static let matrixFacts = """
        SELECT m.room_id, count(*), sum(e.event_id IS NOT NULL AND m.sender <> '@me:example.org' AND m.redacted = 0
          AND (m.origin_server_ts, m.event_id) > (e.origin_server_ts, e.event_id)), max(m.event_id)
        FROM timeline_event m
        LEFT JOIN read_receipt p ON p.room_id = m.room_id AND p.user_id = '@me:example.org'
        LEFT JOIN timeline_event e ON e.event_id = p.event_id
        WHERE m.type = 'm.room.message' GROUP BY m.room_id
        """

    /// Tables like those of a vendor's SDK: numbers for kinds and states, a count of unread messages, a draft, a flag "top".
    static func vendor(_ count: Int) -> String {
        """
        BEGIN;
        CREATE TABLE RCT_CONVERSATION (target_id TEXT, category_id INTEGER, conversation_title TEXT, draft_message TEXT,
          is_top INTEGER, unread_count INTEGER, last_time INTEGER, PRIMARY KEY (target_id, category_id));
        CREATE TABLE RCT_MESSAGE (id INTEGER PRIMARY KEY AUTOINCREMENT, target_id TEXT, category_id INTEGER,
          message_direction INTEGER, read_status INTEGER, send_status INTEGER, send_time INTEGER, clazz_name TEXT,
          content TEXT, sender_id TEXT, message_uid TEXT);
        \(numbers(count)) INSERT INTO RCT_MESSAGE
          SELECT i + 1, 't' || (i * i % 61), CASE WHEN i * i % 61 % 2 THEN 1 ELSE 3 END, i % 4 <> 1, i < \(count) * 9 / 10,
          CASE WHEN i % 4 <> 1 THEN 40 WHEN i % 97 = 1 THEN 20 WHEN i % 89 = 1 THEN 10 WHEN i % 3 THEN 30 ELSE 50 END,
          1600000000000 + i / 2 * 1000, CASE WHEN i % 11 = 5 THEN 'RC:ImgMsg' ELSE 'RC:TxtMsg' END,
          json_object('content', printf('text %d', i)), 'u' || (i % 13), printf('UID-%08d', i) FROM n;
        UPDATE RCT_MESSAGE SET message_uid = '' WHERE send_status IN (10, 20);
        INSERT INTO RCT_CONVERSATION SELECT target_id, category_id, '', CASE WHEN category_id = 1 THEN '' ELSE 'draft' END,
          target_id = 't4', sum(message_direction = 1 AND read_status = 0), max(send_time)
          FROM RCT_MESSAGE GROUP BY target_id, category_id;
        COMMIT;
        """
    }

    static let vendorMap = [
        "conversations": """
        SELECT CASE category_id WHEN 1 THEN 'single' WHEN 3 THEN 'group' ELSE 'system' END AS kind, target_id AS id,
          nullif(conversation_title, '') AS name, nullif(draft_message, '') AS draft, is_top AS isPinned,
          unread_count AS unreadCount, last_time AS activity
        FROM RCT_CONVERSATION
        """,
        "messages": """
        SELECT CASE category_id WHEN 1 THEN 'single' WHEN 3 THEN 'group' ELSE 'system' END AS kind,
          target_id AS conversation, nullif(message_uid, '') AS serverID, id AS localID, send_time AS time,
          CASE message_direction WHEN 0 THEN 'me' ELSE sender_id END AS sender,
          CASE clazz_name WHEN 'RC:TxtMsg' THEN 'text' WHEN 'RC:ImgMsg' THEN 'image' ELSE clazz_name END AS contentType,
          json_extract(content, '$.content') AS text, content AS data,
          CASE send_status WHEN 10 THEN 'sending' WHEN 20 THEN 'failed' WHEN 30 THEN 'sent' WHEN 50 THEN 'read' END
            AS status
        FROM RCT_MESSAGE ORDER BY id
        """,
    ]

    /// The same of each conversation; a message without a server's id comes after all others.
    static let vendorFacts = """
        SELECT c.target_id, count(*), c.unread_count,
          (SELECT message_uid FROM RCT_MESSAGE l WHERE l.target_id = c.target_id AND l.category_id = c.category_id
            ORDER BY l.message_uid = '' DESC, l.send_time DESC, l.message_uid DESC LIMIT 1)
        FROM RCT_CONVERSATION c JOIN RCT_MESSAGE m USING (target_id, category_id) GROUP BY c.target_id, c.category_id
        """
}
#endif
