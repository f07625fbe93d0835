import Foundation
import MessageStore
import Testing

@Suite("messagestore backup, erasures and restore", .tool, .timeLimit(.minutes(30)))
struct BackupCommandTests {
    private func path(_ name: String) -> String { place.logs.directory.path + "/" + name }

    @Test("a backup is continued by files with what was recorded since, in their order")
    func segments() throws {
        let lines = (1...6).map { logLine("text \($0)", id: "m\($0)", conversation: "c\($0)", time: "\($0)000") }
        try place.importLines(Array(lines[..<2]))
        try place.run("backup", path("backup")).succeeded()
        for (name, part) in [("first", lines[2..<4]), ("second", lines[4...])] {
            let last = try place.logged().last ?? 0
            try place.importLines(Array(part), name: name + ".ndjson")
            let run = try place.run("backup", path(name), "--after", "\(last)", "--json").succeeded()
            #expect(try run.object()["events"] as? Int == 2 && run.object()["last"] as? Int == last + 2)
        }
        let segments = ["--segment", path("first"), "--segment", path("second")]
        try ToolRun(["restore", path("backup"), path("new")] + segments).succeeded()
        #expect(try ToolRun(["log", path("new"), "--text"]).output == place.run("log", "--text").output)
        try ToolRun(["verify", path("new")]).succeeded()

        try ToolRun(["restore", path("backup"), path("other")] + segments.suffix(2)).ended(
            3, saying: "the segment before this one is missing")
        try place.run("backup", path("empty"), "--after", "6").ended(2, output: "")
    }

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
        try ToolRun(["verify", path("new")]).succeeded()

        // Another process, which has the old id in the symbols of its backup.
        #expect(try place.run("erase", "--user", "bob", "--also-ids").succeeded().output.hasPrefix("erased by event 6"))
        try place.run("erase", "--event", "1", "--also-ids").ended(2, output: "")
        let later = try place.logs.file(place.run("erasures").succeeded().output.utf8, name: "ledger-2")
        try ToolRun(["restore", path("backup"), path("later"), "--ledger", later]).succeeded()
        let log = try ToolRun(["log", path("later")]).succeeded().output
        #expect(log.contains("erased:2") && !log.contains("bob"))

        try ToolRun(["restore", path("backup"), path("new")]).ended(2, output: "")
        try ToolRun(["restore", path("backup"), path("other"), "--ledger", path("none")]).ended(2, output: "")
        let wrong = try place.logs.file("no ledger".utf8, name: "no-ledger")
        try ToolRun(["restore", path("backup"), path("other"), "--ledger", wrong]).ended(1)
        try ToolRun(["restore", path("none"), path("other")]).ended(3)
        #expect(!FileManager.default.fileExists(atPath: path("other")))
    }
}
