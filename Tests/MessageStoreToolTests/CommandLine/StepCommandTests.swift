import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore step", .enabled(if: ToolRun.executable != nil, "the tool is not built"), .timeLimit(.minutes(30)))
struct StepCommandTests {
    private let place: ToolPlace
    /// The line of each event.
    private let log: [String]
    private let beginning = "0  before the first event"

    init() throws {
        place = try ComplaintStore().place
        log = try place.run("log").lines
    }

    private func step(_ lines: String, _ options: String...) throws -> ToolRun {
        let run = try ToolRun(["step", place.store] + options, input: lines)
        #expect(run.exitCode == 0, "\(lines): \(run.errors)")
        return run
    }

    private func line(_ position: Int) -> String { position == 0 ? beginning : log[position - 1] }

    @Test(
        "movements show where they lead",
        arguments: [
            ("", [0]), ("next\n", [0, 1]), ("n\nn\nn", [0, 1, 2, 3]), ("n 3\nn 2\n", [0, 3, 5]), ("n 99", [0, 9]),
            ("t 5\nb\nb 2\nback 99", [0, 5, 4, 2, 1]), ("to -1\nto -9\nto 0", [0, 9, 1, 0]), ("n\n\n\n", [0, 1, 2, 3]),
            ("to 7\nb 2\n\n", [0, 7, 5, 3]), ("  next   2  \n\tb\n", [0, 2, 1]),
            ("to 2023-11-14T22:13:25Z\n", [0, 6]), ("until badge >= 3\n", [0, 3]), ("u badge >= 3\n\n", [0, 3, 6]),
            ("to -1\nuntil back badge >= 3\nu back badge >= 3", [0, 9, 6, 3]),
            ("u unread(team) > shown(team)", [0, 6]),
            ("until badge == 0", [0, 7]),
        ])
    func movements(lines: String, positions: [Int]) throws {
        let run = try step(lines)
        #expect(run.lines == positions.map(line), "\(lines)")
        #expect(run.errors.isEmpty)
    }

    @Test("--from begins elsewhere; the options of log choose where next and back stop")
    func options() throws {
        #expect(try step("n", "--from", "4").lines == [line(4), line(5)])
        #expect(try step("b", "--from", "-1").lines == [line(9), line(8)])
        #expect(try step("n\nn\nn\nb 2", "--type", "MessageRecalled").lines == [0, 4, 5, 4].map(line))
        #expect(try step("n\nn 8\nb", "--conversation", "single:al").lines == [0, 9].map(line))
        #expect(try step("n\nn\nn", "--message", "t1").lines == [0, 1, 4].map(line))
        #expect(try step("n 2\nto 2\nn", "--grep", "t3").lines == [0, 6, 2, 3].map(line))
        #expect(try step("n\nuntil badge == 1", "--type", "MessageRecalled").lines == [0, 4, 5].map(line))
    }

    @Test("looking around gives what the other commands give there")
    func looking() throws {
        func answer(_ lines: String) throws -> String {
            let run = try step("to 6\n\(lines)\n", "--text")
            let head = line(0) + "\n" + log[5] + "\n"
            #expect(run.errors.isEmpty && run.output.hasPrefix(head))
            return String(run.output.dropFirst(head.count))
        }
        #expect(try answer("list") == place.run("conversations", "--at", "6").output)
        #expect(try answer("l") == answer("list"))
        #expect(try answer("timeline team") == place.run("messages", "team", "--at", "6").output)
        #expect(try answer("timeline group:team") == answer("timeline team"))
        #expect(try answer("unread") == place.run("unread", "--at", "6").output)
        #expect(try answer("diff") == place.run("diff", "6").output)
        #expect(try answer("d") == answer("diff"))
        let unread = try answer("unread team").split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(unread.contains("messages 3") && unread.contains("shown 1") && unread.contains("read up to nothing"))
        #expect(unread.contains { $0.hasPrefix("server's count 3 up to 1970-01-01T00:00:01.003Z t3") })
        let event = try answer("e").split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        for field in ["position 6", "type UnreadCountReported", "conversation group:team", "count 3"] {
            #expect(event.contains(field), "\(field)")
        }
        #expect(try answer("help").contains("until CONDITION"))
    }

    @Test("what messages say is shown with --text only")
    func text() throws {
        let lines = "to 3\ne\nd\nl\ntimeline team\nunread team\n"
        let sizes = try step(lines)
        #expect(!sizes.output.contains("secret") && sizes.output.contains("(8 bytes)"))
        let texts = try step(lines, "--text")
        #expect(texts.output.components(separatedBy: "secret 3").count == 5, "the line, event, list and timeline")
    }

    @Test("a line that cannot be done says why, stays where it is, and the next one is read")
    func faults() throws {
        let faults = [
            ("nonsense", "there is no nonsense"), ("next 0", "number above 0"), ("back x", "number above 0"),
            ("next 99999999999999999999", "number above 0"), ("to", "to takes"), ("to tomorrow", "to takes"),
            ("to 10", "the log ends at 9"), ("to -11", "the log ends at 9"), ("until", "until takes a condition"),
            ("until badge >", "character 8"), ("until unread(x) > 1", "no conversation x"),
            ("until badge > 99", "does not become true after 4"), ("until back badge > 99", "before 4"),
            ("timeline", "takes a conversation"), ("timeline al", "no conversation al"),
            ("unread x", "no conversation x"), ("unread TEAM", "no conversation TEAM; it has group:team"),
            ("timeline single:Team", "it has group:team"), ("until unread(TEAM) > 1", "it has group:team"),
            ("event now", "stands alone"), ("quit 1", "stands alone"), ("list 3", "stands alone"),
            ("\u{1B}[2J", "there is no \\u{1B}[2J"), ("n\u{0}", "there is no n\\u{0}"),
        ]
        for (text, words) in faults {
            let run = try step("to 4\n\(text)\nn\n")
            #expect(run.lines == [0, 4, 5].map(line), "\(text)")
            #expect(run.errors.contains(words), "\(text): \(run.errors)")
        }
        let ends = try step("\nb\ne\nd\nto 9\nn\nto 1\nb\nquit\nn\n")
        #expect(ends.lines == [0, 9, 1].map(line), "nothing is read after quit")
        #expect(ends.errors.split(separator: "\n").count == 6, "\(ends.errors)")
    }

    @Test("wrong usage, a missing store and an empty one")
    func usage() throws {
        for options in [["--from", "10"], ["--from", "x"], ["--type", "Nothing"], ["--origin", "x"], ["--json"]] {
            let run = try ToolRun(["step", place.store] + options, input: "n\n")
            #expect(run.exitCode == 2 && run.output.isEmpty, "\(options)")
        }
        #expect(try ToolRun(["step", place.store + "-none"], input: "n\n").exitCode == 3)
        let empty = try ToolPlace()
        try MessageStore.open(empty.store, account: "me").close()
        let run = try ToolRun(["step", empty.store], input: "n\nb\ne\nd\nl\nto 0\nuntil badge > 0\nunread\n")
        #expect(run.exitCode == 0 && run.lines.filter { $0 == beginning }.count == 2)
    }

    @Test("behind a pipe each line is answered before the next is asked for, without a prompt")
    func pipe() throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = ToolRun.executable
        process.arguments = ["step", place.store]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        var received = ""
        func answer() throws -> String {
            while !received.contains("\n") {
                let data = output.fileHandleForReading.availableData
                try #require(!data.isEmpty)
                received += String(decoding: data, as: UTF8.self)
            }
            let end = try #require(received.firstIndex(of: "\n"))
            defer { received = String(received[received.index(after: end)...]) }
            return String(received[..<end])
        }
        #expect(try answer() == line(0))
        for position in [1, 2, 3] {
            try input.fileHandleForWriting.write(contentsOf: Data("n\n".utf8))
            #expect(try answer() == line(position))
        }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && received.isEmpty)
    }
}
