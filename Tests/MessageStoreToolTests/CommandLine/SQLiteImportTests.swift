#if SQLite
import Foundation
import MessageStore
import Testing

@Suite("messagestore import --format sqlite", .tool, .timeLimit(.minutes(30)))
struct SQLiteImportTests {
    private static let count = TestSize.of(plain: 500, full: 100_000)

    private var path: String { place.logs.directory.path + "/old.db" }

    private func run(_ map: [String: String], account: String = "me", _ options: String...) throws -> ToolRun {
        let json = try JSONEncoder().encode(map)
        let file = try place.logs.file(json, name: "map.json")
        let arguments = ["import", place.store, path, "--format", "sqlite", "--map", file, "--account", account]
        return try ToolRun(arguments + ["--json"] + options)
    }

    /// The id, messages, unread messages and last message of each conversation in the store.
    private func facts(account: UserID) throws -> Set<[String]> {
        try place.write(account: account) { store in
            try store.read { views in
                var (facts, cursor) = (Set<[String]>(), PageCursor?.none)
                repeat {
                    let page = try views.conversations(after: cursor, limit: 100)
                    for conversation in page.elements {
                        var (part, count) = (TimelinePart.latest, 0)
                        while true {
                            let messages = try views.timeline(of: conversation.key, part, limit: 1_000)
                            count += messages.elements.count
                            guard messages.hasOlder, let first = messages.elements.first else { break }
                            part = .before(.message(.local(first.id)))
                        }
                        let last = conversation.lastMessage?.serverID?.rawValue ?? ""
                        facts.insert([conversation.key.id, "\(count)", "\(conversation.unread.messages)", last])
                    }
                    cursor = page.next
                } while cursor != nil
                return facts
            }
        }
    }

    struct Schema: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let account: String
        let script: @Sendable (Int) -> String
        let map: [String: String]
        let facts: String
    }

    static let schemas = [
        Schema(
            testDescription: "a Matrix client's", account: "@me:example.org", script: { OldDatabase.matrix($0) },
            map: OldDatabase.matrixMap, facts: OldDatabase.matrixFacts),
        Schema(
            testDescription: "a vendor's", account: "me", script: { OldDatabase.vendor($0) },
            map: OldDatabase.vendorMap,
            facts: OldDatabase.vendorFacts),
    ]

    @Test(
        "counts, last messages and unread messages are those that SQL finds; a second run adds nothing",
        arguments: schemas)
    func schema(schema: Schema) throws {
        let expected = Set(try OldDatabase(at: path, schema.script(Self.count)).rows(schema.facts))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let first = try run(schema.map, account: schema.account).succeeded().object()
        let messages = expected.reduce(0) { $0 + (Int($1[1]) ?? 0) }
        #expect(first["messages"] as? Int == messages && first.objects("differences").isEmpty)
        let shown = try facts(account: UserID(schema.account))
        #expect(shown == expected, "\(shown.symmetricDifference(expected))")
        let again = try run(schema.map, account: schema.account).succeeded().object()
        #expect(again["events"] as? Int == 0 && again["rows"] as? Int == first["rows"] as? Int)
        let after = try Data(contentsOf: URL(fileURLWithPath: path))
        let names = try FileManager.default.contentsOfDirectory(atPath: place.logs.directory.path)
        #expect(after == bytes && names.allSatisfy { !$0.hasPrefix("old.db-") })
    }

    @Test(
        "messages that are in SQLite's log of writes alone are read as well, also by a link to the file",
        arguments: [false, true])
    func writeAheadLog(isLink: Bool) throws {
        let file = isLink ? path + ".real" : path
        let old = try OldDatabase(at: file, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;")
        if isLink { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: file) }
        try old.run(OldDatabase.vendor(50))
        let summary = try run(OldDatabase.vendorMap).succeeded().object()
        #expect(summary["messages"] as? Int == 50)
        withExtendedLifetime(old) {}
    }

    @Test("a database in UTF-16 is read as one in UTF-8")
    func encodings() throws {
        let old = try OldDatabase(
            at: path,
            "PRAGMA encoding = 'UTF-16le'; CREATE TABLE m (id TEXT, t TEXT); INSERT INTO m VALUES ('m1', 'hey 你好');")
        withExtendedLifetime(old) {}
        try run([
            "messages":
                "SELECT 'c' AS conversation, id AS serverID, 'bob' AS sender, 1600000000000 AS time, t AS text FROM m"
        ]).succeeded()
        let messages = try place.run("messages", "c", "--json").succeeded().output
        #expect(messages.contains("hey 你好") && messages.contains("\"m1\""), "\(messages)")
    }

    @Test("a map is refused with the field that it may mean, before a store is made")
    func badMaps() throws {
        let old = try OldDatabase(at: path, "CREATE TABLE m (id TEXT, t INTEGER); INSERT INTO m VALUES ('secret', 1);")
        withExtendedLifetime(old) {}
        try run(["messages": "SELECT id AS severID FROM m"]).ended(2, saying: "no field severID", "serverID")
        try run(["messages": "SELECT id AS text, t AS zzz FROM m"]).ended(2, saying: "there are", "editedTime")
        try run(["messages": "SELECT x AS text FROM m"]).ended(2, saying: "no such column: x")
        for statement in ["DELETE FROM m", "SELECT id AS text FROM m; SELECT 1", "BEGIN"] {
            try run(["messages": statement]).ended(2, saying: "a SELECT is needed")
        }
        try run(["message": "SELECT id AS text FROM m"]).ended(2, saying: "no JSON object of SQL statements")
        #expect(!FileManager.default.fileExists(atPath: place.store))
        let bad = try run(["messages": "SELECT id AS time FROM m"]).ended(1, saying: "row 0 of messages", "time")
        #expect(!bad.errors.contains("secret"))
        try run(["messages": "SELECT id AS conversation, t AS serverID, 't' AS sender, 1600000000 AS time FROM m"])
            .ended(1, saying: "row 0, of unspecified:secret: ", "looks like seconds")
        #expect(!FileManager.default.fileExists(atPath: place.store))
    }

    @Test("what is no database, and what lacks its map, is refused")
    func noDatabase() throws {
        try Data("no database, but long enough to be one, if it were one of SQLite".utf8)
            .write(to: URL(fileURLWithPath: path))
        try run(["messages": "SELECT 1 AS text"]).ended(1, saying: "SQLite cannot read it")
        try ToolRun(["import", place.store, path, "--format", "sqlite", "--account", "me"]).ended(2, saying: "--map")
    }

    @Test("what differs is listed, and ends with an error")
    func difference() throws {
        let old = try OldDatabase(at: path, OldDatabase.vendor(200))
        try old.run("DELETE FROM RCT_MESSAGE WHERE id = 1")
        var map = OldDatabase.vendorMap
        map["conversations"] = "SELECT 'group' AS kind, 't0' AS id, 1000 AS messageCount"
        let summary = try run(map).ended(1, saying: "should be kept").object()
        #expect(summary.objects("differences").map { $0.object("key")["id"] as? String } == ["t0"])
    }
}
#endif
