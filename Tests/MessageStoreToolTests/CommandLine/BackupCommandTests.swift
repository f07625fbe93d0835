import Foundation
import MessageStore
import Testing

@Suite("messagestore backup, erasures and restore", .tool, .timeLimit(.minutes(30)))
struct BackupCommandTests {
    private func path(_ name: String) -> String { place.logs.directory.path + "/" + name }

    @Test("a backup is restored without what was erased since, by the list that erasures printed")
    func restore() throws {
        try place.importLines((1...5).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        #expect(try place.run("backup", path("backup")).succeeded().output.hasPrefix("5 events in "))
        try place.write { try $0.redact(Position(2)) }
        let ledger = try place.run("erasures").succeeded()
        #expect(try ledger.object()["positions"] as? [[Int]] == [[2, 2]])
        let file = try place.logs.file(ledger.output.utf8, name: "ledger")

        let run = try ToolRun(["restore", path("backup"), path("new"), "--ledger", file, "--json"]).succeeded()
        #expect(try run.object()["events"] as? Int == 5)
        #expect(try ToolRun(["log", path("new"), "--text"]).output == place.run("log", "--text").output)
        #expect(try ToolRun(["verify", path("new")]).exitCode == 0)

        #expect(try ToolRun(["restore", path("backup"), path("new")]).isWrongUsage)
        #expect(try ToolRun(["restore", path("backup"), path("other"), "--ledger", path("none")]).isWrongUsage)
        let log = try place.logs.file("no ledger".utf8, name: "no-ledger")
        #expect(try ToolRun(["restore", path("backup"), path("other"), "--ledger", log]).exitCode == 1)
        #expect(try ToolRun(["restore", path("none"), path("other")]).exitCode == 3)
        #expect(!FileManager.default.fileExists(atPath: path("other")))
    }
}
