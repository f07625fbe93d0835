import Foundation
import MessageStore
import Testing

@Suite("messagestore import", .tool, .timeLimit(.minutes(30)))
struct ImportCommandTests {
    private let ten = (1...10).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") }

    @Test("an import tells what it did, with stable keys; importing again adds nothing (I4)")
    func again() throws {
        let first = try place.importLines(ten).succeeded()
        let summary = try first.object()
        let keys = ["records", "events", "messages", "duplicates", "conversations", "seconds"]
        #expect(Set(summary.keys).isSuperset(of: keys))
        #expect(summary["records"] as? Int == 10 && summary["messages"] as? Int == 10)
        #expect(summary["duplicates"] as? Int == 0 && summary["conversations"] as? Int == 1)
        let digests = try place.digests()
        let second = try place.importLines(ten).object()
        #expect(second["records"] as? Int == 10 && second["messages"] as? Int == 0)
        #expect(second["duplicates"] as? Int == 10 && second["events"] as? Int == 0)
        #expect(try place.digests() == digests)
    }

    @Test("I3: the size of packages does not matter", arguments: ["1", "3", "100000"])
    func packageSizes(size: String) throws {
        let (place, other) = (try ToolPlace(), try ToolPlace())
        try place.importLines(ten)
        try other.importLines(ten, ["--package-size", size]).succeeded()
        #expect(try other.digests() == place.digests())
    }

    @Test("gzip is read like plain text")
    func gzipped() throws {
        let (place, other) = (try ToolPlace(), try ToolPlace())
        try place.importLines(ten)
        let path = try other.logs.file(try gzip(ten.map { $0 + "\n" }.joined().utf8), name: "log.gz")
        try ToolRun(["import", other.store, path, "--account", "me", "--json"]).succeeded()
        #expect(try other.digests() == place.digests())
    }

    static let badLines: [TestLine] = [
        "not json", "[]", "{", TestLine(logLine("x", time: "-5")), TestLine(logLine("x", time: "9999999999999999")),
        TestLine(logLine("x", time: "1e400")), TestLine(logLine("x", id: String(repeating: "i", count: 10_240))),
        TestLine(logLine("x", conversation: String(repeating: "c", count: 10_240))),
        TestLine(logLine("x", kind: "crowd")),
        TestLine(logLine("x", conversation: "")), TestLine(logLine("x", type: "kick")),
        TestLine(logLine(String(repeating: "long ", count: 2 << 20))),
    ]

    @Test(
        "a bad line stops the import with file and line, with what comes before it recorded, or is skipped on demand",
        arguments: badLines)
    func badLine(line: TestLine) throws {
        let lines = Array(ten[..<4]) + [line.text] + Array(ten[4...])
        let run = try place.importLines(lines)
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("log.ndjson:5: "), "\(run.errors.prefix(300))")
        #expect(run.errors.utf8.count < 1000, "the line's text is not repeated")
        #expect(try place.run("unread", "--json").object()["total"] as? Int == 4)
        let skipping = try ToolPlace().importLines(lines, ["--skip-bad-lines"]).succeeded()
        #expect(skipping.errors.contains("log.ndjson:5: "))
        #expect(try skipping.object()["badLines"] as? Int == 1 && skipping.object()["messages"] as? Int == 10)
    }

    @Test("invalid UTF-8 is a bad line")
    func invalidUTF8() throws {
        let bytes = Array((ten[0] + "\n").utf8) + Array(#"{"conv":""#.utf8) + [0xC3, 0x28] + Array("\"}\n".utf8)
        let path = try place.logs.file(bytes)
        let run = try place.run("import", path, "--account", "me")
        #expect(run.exitCode == 1)
        #expect(run.errors.contains(":2: "))
    }

    @Test(
        "an empty file is an error that leaves no store", arguments: ["chat-log", "matrix-sync", "events"],
        [[], ["", "  "]])
    func emptyFile(format: String, lines: [String]) throws {
        let run = try place.importLines(lines, ["--format", format])
        #expect(run.exitCode == 1 && run.output.isEmpty)
        #expect(run.errors.contains("import reads JSON lines"), "\(run.errors)")
        #expect(try place.names() == ["log.ndjson"])
    }

    @Test(
        "a file of no format that is known: the error says which are read",
        arguments: [
            Array("name,text\nbob,hi\n".utf8), [0x1F, 0x8B, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0xFF, 0xFE, 0],
        ],
        ["chat-log", "matrix-sync", "events"])
    func unknownFormat(bytes: [UInt8], format: String) throws {
        let path = try place.logs.file(bytes, name: "log.ndjson")
        let run = try place.run("import", path, "--account", "me", "--format", format)
        #expect(run.exitCode == 1 && run.output.isEmpty, "\(run.output)")
        for word in ["chat logs", "--format matrix-sync", "--format events"] {
            #expect(run.errors.contains(word), "\(run.errors)")
        }
        #expect(try place.names() == ["log.ndjson"])
    }

    @Test("a directory and a missing file are wrong usage")
    func files() throws {
        for path in [place.logs.directory.path, place.logs.directory.path + "/missing"] {
            let other = try ToolPlace()
            let run = try ToolRun(["import", other.store, path, "--account", "me"])
            #expect(run.exitCode == 2)
            #expect(run.output.isEmpty && !run.errors.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: other.store), "no store is made for it")
        }
    }

    @Test(
        "an import that records nothing and fails leaves no new store behind",
        arguments: [["--format", "chat-log"], ["--format", "matrix-sync"]])
    func nothingImported(format: [String]) throws {
        let run = try place.importLines(["not json", ten[0]], format)
        #expect(run.exitCode == 1 && run.errors.contains("log.ndjson:1: "), "\(run.errors)")
        #expect(try place.names() == ["log.ndjson"])
        let file = place.logs.directory.path + "/log.ndjson"
        let slash = try ToolRun(["import", place.store + "//", file, "--account", "me"] + format)
        #expect(try slash.exitCode == 1 && place.names() == ["log.ndjson"], "\(slash.errors)")
        try place.importLines([ten[0]])
        #expect(try place.importLines(["not json"], format).exitCode == 1)
        #expect(try place.run("unread", "--json").object()["total"] as? Int == 1, "an older store stays")
        #expect(try place.names() == ["log.ndjson", "store"])
    }

    @Test("a new store in a directory that does not exist: exit code 2 with that directory")
    func missingParent() throws {
        try place.importLines([ten[0]])
        let parent = place.logs.directory.path + "/missing"
        let export = try place.logs.file(try place.run("export").output.utf8, name: "export")
        for arguments in [
            ["import", parent + "/store", place.logs.directory.path + "/log.ndjson", "--account", "me"],
            ["import", parent + "/store", export, "--format", "events"], ["salvage", place.store, parent + "/store"],
            ["demo", parent + "/store", "--events", "10"],
        ] {
            let run = try ToolRun(arguments)
            #expect(run.exitCode == 2 && run.errors.contains("does not exist [\(parent)]"), "\(run.errors)")
        }
    }

    @Test("an empty store that was there before a failed import stays")
    func emptyStoreBefore() throws {
        try MessageStore.open(place.store, account: "me", configuration: .ofTests).close()
        #expect(try place.importLines(["not json"]).exitCode == 1)
        #expect(try place.run("check").exitCode == 0)
    }

    @Test("an exported log read as a chat log: which format reads it, and no store in its way")
    func exportAsChatLog() throws {
        let (place, other) = (try ToolPlace(), try ToolPlace())
        try place.importLines(ten)
        let export = try place.run("export").lines
        for options in [[], ["--skip-bad-lines"]] {
            let run = try other.importLines(export, options)
            #expect(run.exitCode == 1 && run.errors.contains("log.ndjson:1: "), "\(run.errors)")
            #expect(run.errors.contains("--format events"), "\(run.errors)")
            #expect(try other.names() == ["log.ndjson"])
        }
        let file = other.logs.directory.path + "/log.ndjson"
        try ToolRun(["import", other.store + "/", file, "--format", "events"]).succeeded()
        #expect(try other.digests() == place.digests())
    }

    @Test("gzip that is cut short stops with exit code 1; what was read is recorded")
    func truncatedGzip() throws {
        let many = (0..<2000).map { logLine("text \($0 &* 7919)", id: "m\($0)") + "\n" }.joined()
        let path = try place.logs.file(try gzip(many.utf8).dropLast(2000), name: "cut.gz")
        let run = try place.run("import", path, "--account", "me", "--json")
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("truncated gzip"))
        let recorded = try #require(try run.object()["messages"] as? Int)
        #expect(recorded > 0 && recorded < 2000)
        #expect(try place.run("verify").exitCode == 0)
    }

    @Test("another account's store is wrong usage")
    func otherAccount() throws {
        try place.importLines(ten)
        let path = try place.logs.file(ten[0].utf8)
        let run = try place.run("import", path, "--account", "you")
        #expect(run.exitCode == 2)
        #expect(run.output.isEmpty)
    }
}
