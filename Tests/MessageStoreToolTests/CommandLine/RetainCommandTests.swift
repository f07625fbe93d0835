import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore retain and compact", .tool, .timeLimit(.minutes(30)))
struct RetainCommandTests {
    @Test(
        "amounts of bytes",
        arguments: [
            ("500MB", 500_000_000), ("1.5GB", 1_500_000_000), ("12", 12), ("0.5kB", 500), ("0", nil), ("", nil),
            (".", nil),
            ("1e9", nil), ("-1", nil), ("0x10", nil), ("MB", nil), ("99999999999GB", nil), ("0.0001kB", nil),
            ("１MB", nil),
        ] as [(String, Int?)])
    func amounts(text: String, bytes: Int?) {
        #expect(ByteAmount(argument: text)?.bytes == bytes)
    }

    @Test(
        "messages go by number, their records with a compaction, and every command says from where on the log is whole")
    func retain() throws {
        try place.importLines((1...9).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        try place.write { try $0.record(.read(in: .group("c"))) }
        let all = try place.run("log", "--text").succeeded().lines

        try place.run("retain").ended(2, output: "")
        try place.run("retain", "--messages", "0").ended(2, output: "")
        try place.run("retain", "--messages", "3", "--low-water-mark", "4").ended(2, output: "")
        let dry = try place.run("retain", "--messages", "3", "--dry-run", "--json").succeeded()
        #expect(try dry.object()["messages"] as? Int == 6)
        #expect(try place.run("log", "--text").lines == all)
        #expect(try place.run("retain", "--messages", "3").succeeded().output.contains("6 messages cleared"))
        #expect(try place.run("messages", "c").lines.count(where: { $0.contains("text") }) == 3)

        let preview = try place.run("compact", "--dry-run", "--json").succeeded().object()
        #expect(preview["cutEvents"] as? Int == 5 && (preview["owedBytes"] as? Int ?? 0) > 0)
        #expect(try place.run("compact").succeeded().output.contains("5 events were cut off"))
        #expect(try place.logged().count == all.count - 5 + 1)
        let base = try place.logged().last ?? 0
        #expect(try place.run("verify").succeeded().output.contains("Records before event \(base) were cut off"))
        try place.run("check").succeeded()
        try place.run("messages", "c", "--at", "2").ended(2, output: "", saying: "were cut off")
        let export = try place.logs.file(place.run("export").succeeded().output.utf8, name: "cut.ndjson")
        try ToolRun(["import", place.logs.directory.path + "/new", export, "--format", "events"]).ended(
            1, saying: "were cut off")
        try place.run("export", "--anonymise").ended(2, output: "")
        #expect(try place.run("stats", "--json").succeeded().object()["cutEvents"] as? Int == 5)
    }

    @Test("a number out of range is refused by the name of its option", arguments: ["-3", "0"])
    func ranges(number: String) throws {
        try place.importLines([logLine("text", id: "m1", time: "1000")])
        for option in ["--days", "--messages", "--low-water-mark"] {
            try place.run(
                ["retain", option, number] + (option == "--low-water-mark" ? ["--days", "1"] : [])
            ).ended(2, output: "", saying: "\(option) is ")
        }
    }

    @Test("unread messages that stay are counted, and a message that was cut off is not unknown")
    func unreadAndCut() throws {
        try place.importLines((1...9).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        try place.write { store in
            let third = MessageOrder(time: Timestamp(milliseconds: 3_000_000), id: "m3")
            try store.record(.read(upTo: third, in: .group("c")))
        }
        let dry = try place.run("retain", "--messages", "2", "--dry-run").succeeded().output
        #expect(dry.contains("4 more stay, because unread messages and newer ones do"), "\(dry)")
        #expect(
            try place.run("retain", "--messages", "2", "--json").succeeded().object()["keptAsUnread"] as? Int == 4)
        let again = try place.run("retain", "--messages", "2", "--also-unread", "--json").succeeded().object()
        #expect(again["keptAsUnread"] as? Int == 0 && again["messages"] as? Int == 4)
        try place.run("compact").succeeded()
        for message in ["m1", "local:1", "server:m1", "m5"] {
            try place.run("why", "message", message).ended(2, output: "", saying: "cut off")
        }
        #expect(try place.run("why", "message", "none").errors.contains("no event is about"))
        let base = try #require(try place.run("stats", "--json").object()["base"] as? Int)
        let path = place.logs.directory.path + "/page.html"
        try place.run("debug", "--html", path).ended(2, output: "", saying: "event \(base), the last one, were cut off")
        try place.record([Event(ConversationPinned(), in: .group("c"))])
        let page = try place.run("debug", "--html", path, "--from", "1").succeeded()
        #expect(page.errors.contains("before event \(base) were cut off"), "\(page.errors)")
        #expect(
            try embeddedData(of: String(contentsOfFile: path, encoding: .utf8)).contains("\"first\":\(base + 1)"))
    }

    @Test("ids that are erased again record nothing, and who had one is not shown by it")
    func erasedAgain() throws {
        try place.record([
            .received("m1", from: "bob", in: .group("c"), at: .unknown, content: .text("1")),
            Event(ProfilesFetched([Profile(id: "bob", name: "Bob")])),
        ])
        let erase = ["erase", "--user", "bob", "--also-ids"]
        #expect(try place.run(erase).succeeded().output.hasPrefix("erased by event 3"))
        for _ in 1...2 { #expect(try place.run(erase).succeeded().output.hasPrefix("nothing was left to erase")) }
        #expect(try place.run(erase, ["--json"]).object()["event"] is NSNull?)
        #expect(try place.logged().last == 3)
        for name in ["bob", "erased:2"] {
            let profile = try place.run("profile", name).succeeded()
            #expect(!profile.output.contains("bob") && profile.output.contains("erased:2"), "\(profile.output)")
            let object = try place.run("profile", name, "--json").object()
            #expect(object["id"] as? String == "erased:2" && object["name"] as? String == "erased:2")
        }
        try place.record([.received("m2", from: "bob", in: .group("c"), at: .unknown, content: .text("2"))])
        #expect(try place.run(erase).succeeded().output.hasPrefix("erased by event 5"))
    }
}
