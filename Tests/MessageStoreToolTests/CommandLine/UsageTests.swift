import Foundation
import Testing

@Suite("messagestore: help, exit codes, damage, demo", .tool, .timeLimit(.minutes(30)))
struct UsageTests {
    @Test(
        "help goes to standard output with exit code 0",
        arguments: [["--help"], ["import", "--help"], ["help", "log"]])
    func help(arguments: [String]) throws {
        let run = try ToolRun(arguments).succeeded()
        #expect(run.output.contains("USAGE") && run.errors.isEmpty)
    }

    @Test("what a command line or a store holds cannot reach the terminal raw")
    func hostileText() throws {
        let hostile = "x\u{1B}[2J\u{9B}2J\u{202E}\nfake: all is well"
        try place.importLines([logLine("a\u{9B}\u{202E}\u{200B}\u{E0041}b", id: "a", conversation: "c\u{200B}")])
        for arguments in [
            [hostile], ["log", place.store, "--\(hostile)"], ["log", place.store, "--from", hostile],
            ["log", hostile], ["messages", place.store, hostile], ["messages", place.store, "c\u{200B}"],
            ["messages", place.store, "c\u{200B}", "--json"], ["log", place.store, "--text", "--json"],
            ["conversations", place.store, "--json"], ["log", place.store, "--type", hostile],
        ] {
            let run = try ToolRun(arguments)
            let text = run.output + run.errors
            for character in ["\u{1B}", "\u{9B}", "\u{202E}", "\u{200B}", "\u{E0041}"] {
                #expect(!text.unicodeScalars.contains(character.unicodeScalars.first!), "\(arguments)")
            }
            #expect(!text.contains("\nfake"), "\(arguments)")
        }
    }

    static let reading = ["conversations", "unread", "log", "verify", "stats", "rebuild"]

    @Test("I10: a missing, a damaged and no store: exit code 3, nothing on standard output", arguments: reading)
    func missing(command: String) throws {
        let (place, damaged) = (try ToolPlace(), try ToolPlace())
        let file = try place.logs.file("x".utf8, name: "notes.txt")
        try damaged.importLines([logLine("a", id: "a")])
        try Data().write(to: URL(fileURLWithPath: damaged.store + "/log/data.mdb"))
        for path in [place.store, place.logs.directory.path, file, damaged.store] {
            let run = try ToolRun([command, path]).ended(3, output: "")
            #expect(!run.errors.isEmpty, "\(path): \(run.errors)")
        }
    }

    @Test("the demo finds no row that differs and leaves nothing behind")
    func demo() throws {
        let demo = ["demo", "--events", TestSize.of(plain: "500", full: "2000")]
        let run = try ToolRun(demo).succeeded()
        #expect(run.output.contains("no row differs"))
        #if DEBUG
        let isDebug = true
        #else
        let isDebug = false
        #endif
        #expect(run.output.contains("swift run -c release messagestore demo") == isDebug)
        let json = try ToolRun(demo + ["--json"]).object()
        #expect(json["differences"] as? Int == 0)
        let path = try #require(json["store"] as? String)
        #expect(!FileManager.default.fileExists(atPath: path))
        let again = try ToolRun(demo + ["--json"]).object()
        // What has no server's time stands in timelines where it was recorded.
        func digests(_ object: [String: Any]) -> [String: String]? {
            (object["digests"] as? [String: String])?.filter { $0.key != "TimelineEvents" }
        }
        #expect(digests(again) == digests(json) && digests(json)?.isEmpty == false)
    }
}
