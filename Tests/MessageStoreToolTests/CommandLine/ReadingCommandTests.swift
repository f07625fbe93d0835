import Foundation
import MessageStore
import MessageStoreLMDB
import Testing

@Suite("messagestore's reading commands", .tool, .timeLimit(.minutes(30)))
struct ReadingCommandTests {
    init() throws {
        try place.importLines(
            [
                logLine("你好，世界", id: "a", conversation: "中文群", from: "小明", time: "1000"),
                logLine("hello", id: "b", conversation: "en", time: "2000", kind: "single"),
                logLine("a\\u001b[31mred\\nline", id: "c", conversation: "en", time: "3000", kind: "single"),
                logLine("", conversation: "中文群", from: "小红", time: "4000", type: "join"),
            ])
    }

    @Test("conversations, unread, stats and profile as JSON: one line each, with stable keys")
    func conversations() throws {
        let rows = try place.run("conversations", "--json").objects()
        #expect(rows.map { $0["conversation"] as? String } == ["en", "中文群"])
        for row in rows {
            let keys = ["conversation", "kind", "name", "unread", "lastTime", "preview", "pinned", "muted"]
            #expect(Set(row.keys).isSuperset(of: keys))
        }
        #expect(rows[1]["preview"] as? String == "小明: 你好，世界")
        #expect(rows[0]["unread"] as? Int == 2 && rows[0]["kind"] as? String == "single")
        let object = try place.run("unread", "--json").object()
        #expect(object["total"] as? Int == 3)
        #expect(object.object("kinds")["single"] as? Int == 2)
        let stats = try place.run("stats", "--json").object()
        #expect(stats["events"] as? Int == 4 && stats["account"] as? String == "me")
        #expect(stats["viewPosition"] as? Int == 4 && stats["checkpointPosition"] as? Int == 4)
        let names = ["tables", "environments", "journalBytes", "bufferedRows", "bufferedBytes", "unknownEvents"]
        #expect(Set(stats.keys).isSuperset(of: names))
        let profile = try place.run("profile", "小明", "--json").object()
        #expect(profile["placeholder"] as? Bool == true && profile["name"] as? String == "小明")
    }

    @Test("Chinese text in tables, control characters made harmless, no colour in a file", arguments: [false, true])
    func tables(hasNoColor: Bool) throws {
        let environment = hasNoColor ? ["NO_COLOR": "1"] : ["TERM": "xterm-256color"]
        for arguments in [["conversations", place.store], ["messages", place.store, "en"], ["unread", place.store]] {
            let run = try ToolRun(arguments, environment: environment).succeeded()
            #expect(!run.output.isEmpty && !run.output.contains("\u{1B}"))
        }
        #expect(try place.run("conversations").output.contains("你好，世界"))
        #expect(try place.run("messages", "中文群").output.contains("你好，世界"))
    }

    @Test(
        "a conversation is named by its id, with its kind, with its channel",
        arguments: [
            ("中文群", ["你好，世界"]), ("group:中文群", ["你好，世界"]), ("17:desk#support", ["in the channel"]),
            ("group:\\#odd", ["odd"]), ("#odd", ["odd"]),
        ])
    func namedConversations(argument: String, texts: [String]) throws {
        let desk = ConversationKey(ConversationKind(rawValue: 17), "desk", channel: "support")
        try place.record(
            [(desk, "in the channel"), (.group("#odd"), "odd")].map { key, text in
                .received("m", from: "bob", in: key, at: Timestamp(milliseconds: 1), content: .text(text))
            })
        let rows = try place.run("messages", argument, "--json").objects()
        #expect(rows.compactMap { $0["text"] as? String } == texts)
        try place.run("messages", "17:desk").ended(2)
        let channels = try place.run("conversations", "--json").objects().map { $0["channel"] as? String }
        #expect(channels.compactMap { $0 } == ["support"])
    }

    @Test(
        "verify and replay: position, digests of every projection, no differences; negative positions are from the end")
    func verify() throws {
        let object = try place.run("verify", "--json").object()
        #expect(object["position"] as? Int == 4)
        #expect((object["differences"] as? [Any])?.isEmpty == true)
        let digests = try #require(object["digests"] as? [String: String])
        #expect(Set(digests.keys) == Set(ProjectionID.builtIn.map(\.rawValue)))
        #expect(digests.values.allSatisfy { $0.count == 16 })
        let last = try place.run("replay", "--json", "--to", "4").object()
        #expect(last["digests"] as? [String: String] == (try place.digests()))
        #expect(try place.run("replay", "--json", "--to", "-1").object()["position"] as? Int == 4)
        #expect(try place.run("replay", "--json", "--to", "-5").object()["position"] as? Int == 0)
    }

    @Test("verify: a row that differs is shown in words")
    func verifyInWords() throws {
        try place.change("views", "unread") { transaction, table throws in
            _ = try transaction.remove([UInt8]([0, 0, 0, 2]).span.bytes, in: table)
        }
        let run = try place.run("verify").ended(1)
        let lines = run.output.split(separator: "\n").suffix(3)
        #expect(lines.first == "UnreadCounters unread conversation=single:en")
        #expect(lines.dropFirst().first == "  live     (no row)")
        let counts = "count=2 mentions=0 everyoneMentions=0 mutedUntil=none"
        #expect(lines.last == "  rebuilt  kind=single flags=none \(counts) readUpTo=none readAt=0 aheadReadUpTo=0")
        let difference = try #require(
            (try place.run("verify", "--json").object()["differences"] as? [[String: Any]])?.first)
        #expect(difference["key"] == nil && difference["rebuilt"] == nil)
        #expect((difference["parts"] as? [[String: String]])?[2] == ["name": "count", "rebuilt": "2"])
    }

    @Test("log: ranges by position, negative ones from the end; sizes, and words only on demand")
    func log() throws {
        let ranges: [([String], [Int])] = [
            ([], [1, 2, 3, 4]), (["--from", "-2"], [3, 4]), (["--from", "-100"], [1, 2, 3, 4]),
            (["--from", "2", "--to", "-2"], [2, 3]), (["--from", "4"], [4]), (["--from", "5"], []),
            (["--from", "3", "--to", "2"], []), (["--to", "-100"], []), (["-n", "2"], [3, 4]),
            (["--from", "1", "--to", "3", "-n", "1"], [3]), (["--type", "MembersAdded"], [4]),
            (["--conversation", "en"], [2, 3]), (["--conversation", "group:中文群"], [1, 4]),
        ]
        #expect(try ranges.map { try place.logged($0.0) } == ranges.map(\.1))
        #expect(try place.run("log").output.contains("你好") == false)
        #expect(try place.run("log", "--text").output.contains("你好"))
    }
}
