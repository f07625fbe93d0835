import Foundation
import MessageStore
import Testing

@Suite("messagestore retain and compact", .tool, .timeLimit(.minutes(30)))
struct RetainCommandTests {
    @Test(
        "messages go by number, their records with a compaction, and every command says from where on the log is whole")
    func retain() throws {
        try place.importLines((1...9).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        try place.write { try $0.record(.read(in: .group("c"))) }
        let all = try place.run("log", "--text").succeeded().lines

        #expect(try place.run("retain").isWrongUsage)
        #expect(try place.run("retain", "--messages", "0").isWrongUsage)
        #expect(try place.run("retain", "--messages", "3", "--low-water-mark", "4").isWrongUsage)
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
        #expect(try place.run("check").exitCode == 0)
        let early = try place.run("messages", "c", "--at", "2")
        #expect(early.isWrongUsage && early.errors.contains("were cut off"), "\(early.errors)")
        let export = try place.logs.file(place.run("export").succeeded().output.utf8, name: "cut.ndjson")
        let refused = try ToolRun(["import", place.logs.directory.path + "/new", export, "--format", "events"])
        #expect(refused.exitCode == 1 && refused.errors.contains("were cut off"), "\(refused.errors)")
        #expect(try place.run("export", "--anonymise").isWrongUsage)
        #expect(try place.run("stats", "--json").succeeded().object()["cutEvents"] as? Int == 5)
    }
}
