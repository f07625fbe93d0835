#if SQLite
import Foundation
import MessageStore
import MessageStoreCSQLite
import Testing

@Suite("messagestore export --sqlite", .tool, .timeLimit(.minutes(30)))
struct DatabaseExportTests {
    private static func export(_ place: ToolPlace, _ options: String...) throws -> Database {
        let path = place.store + "-\(UUID().uuidString).sqlite"
        try place.run(["export", "--sqlite", path] + options).succeeded()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        return try Database(path)
    }

    @Test("sums and rows are those that follow from the events", arguments: Seeds.first(3))
    func sums(seed: UInt64) throws {
        let (place, model) = try ShownExportTests.random(seed: seed)
        let database = try Self.export(place)
        let (listed, others) = ShownExportTests.conversations(model)
        let keys = try database.rows("SELECT key FROM conversations ORDER BY id").compactMap {
            ConversationKey($0[0] ?? "")
        }
        #expect(
            Array(keys.prefix(listed.count)) == listed && Set(keys.dropFirst(listed.count)) == others)
        #expect(try database.rows("PRAGMA integrity_check; ") == [["ok"]])
        #expect(try database.rows("PRAGMA user_version") == [["1"]])
        #expect(
            try database.rows("SELECT position, account FROM store") == [["\(model.log.count)", "me"]])
        for (number, key) in zip(1..., keys) {
            let timeline = model.timeline(of: key)
            let messages = try database.rows(
                """
                SELECT m.id, place, u.user, m.time, text, status, recalled, m.read FROM messages AS m
                JOIN users AS u ON u.id = sender WHERE conversation = \(number) ORDER BY place
                """)
            let expected: [[String?]] = timeline.enumerated().map { place, message in
                [
                    "\(message.id)", "\(place + 1)", message.sender.rawValue,
                    "\(message.time.milliseconds)",
                    message.text,
                    "\(message.status)", message.isRecalled ? "1" : "0",
                    message.isRead.map { $0 ? "1" : "0" },
                ]
            }
            #expect(messages == expected, "seed \(seed): \(key)")
            let reactions = try database.rows(
                "SELECT ifnull(sum(count), 0) FROM reactions JOIN messages AS m ON m.id = message WHERE conversation = \(number)"
            )
            let count = timeline.filter { !$0.isRecalled }.flatMap { model.reactions(to: .local($0.id), in: key) }
                .reduce(0) {
                    $0 + $1.count
                }
            #expect(reactions == [["\(count)"]], "seed \(seed): \(key)")
            let facts = try database.rows(
                "SELECT unread, lastMessage, members FROM conversations WHERE id = \(number)")
            let conversation = model.conversation(key)
            let last = conversation?.lastMessage.map { "\($0.id)" }
            #expect(
                facts == [
                    ["\(model.unread(of: key).messages)", last, "\(conversation?.memberCount ?? 0)"]
                ],
                "seed \(seed): \(key)")
            let members = try database.rows(
                "SELECT user FROM users WHERE id IN (SELECT user FROM members WHERE conversation = \(number)) ORDER BY user"
            )
            #expect(
                members == model.members(in: key).map(\.id.rawValue).sorted().map { [$0] },
                "seed \(seed): \(key)")
        }
        let total = try database.rows("SELECT sum(unread) FROM conversations WHERE listed")
        #expect(total == [["\(model.unreadTotals(includesMuted: true).messages)"]])
    }

    @Test("the document has the tables with their columns, and its queries run")
    func document() throws {
        try place.importLines(
            (1...9).map { logLine("text \($0)", id: "m\($0)", from: "user\($0 % 2)", time: "\($0)000") }
        )
        try place.write { store in
            try store.record([
                .received(
                    "r", from: "bob", in: .group("c"), at: Timestamp(milliseconds: 12_000),
                    content: .text("yes"),
                    context: MessageContext(replyTo: "m9"))
            ])
        }
        let database = try Self.export(place, "--conversation", "c")
        let text = try String(
            contentsOf: DebuggingGuide.root.appendingPathComponent("Docs/ExportFormat.md"),
            encoding: .utf8)
        let tables = try database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ).compactMap { $0[0] }
        #expect(tables.count == 8)
        for table in tables {
            let columns = try database.rows(
                "SELECT name FROM pragma_table_info('\(table)') ORDER BY cid"
            ).compactMap {
                $0[0]
            }
            let row = "| `\(table)` | \(columns.map { "`\($0)`" }.joined(separator: ", ")) |\n"
            #expect(text.contains(row), "Docs/ExportFormat.md lacks \(row)")
        }
        let queries = text.matches(of: /```sql\n((?:.|\n)*?)```/).map { String($0.output.1) }
        let answers = try queries.map { try database.rows($0) }
        #expect(
            answers == [
                [["1970-01", "user1", "5"], ["1970-01", "user0", "4"], ["1970-01", "bob", "1"]],
                [["c", "10"]],
                [["3.0"]],
            ])
    }
}

/// A database that is read by statements, each value as a text.
private final class Database {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
        try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    }

    deinit { sqlite3_close(handle) }

    func rows(_ query: String) throws -> [[String?]] {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK, "\(query)")
        defer { sqlite3_finalize(statement) }
        var rows: [[String?]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) }
                })
        }
        return rows
    }
}
#endif
