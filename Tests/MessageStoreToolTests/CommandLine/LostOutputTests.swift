#if os(Linux)
import Foundation
import Testing

@Suite("messagestore: output that cannot be written", .tool, .timeLimit(.minutes(30)))
struct LostOutputTests {
    /// Runs the tool in a shell, which sends its output where `redirection` says.
    private func run(_ arguments: [String], _ redirection: String) throws -> ToolRun {
        try ToolRun.shell("timeout 120 \"$0\" \"$@\" \(redirection)", arguments)
    }

    static let commands: [[String]] = [
        ["conversations"], ["conversations", "--json"], ["messages", "c"], ["log"], ["log", "--json"],
        ["log", "--follow"],
        ["unread"], ["profile", "me"], ["stats", "--json"], ["verify"], ["check"], ["doctor"], ["doctor", "--json"],
        ["projections"], ["rows"], ["diff", "1", "2"], ["why", "message", "m1"], ["watch", "badge > 1"],
        ["replay", "--to", "1"], ["rebuild"], ["export"], ["export", "--gzip"], ["debug"],
    ]

    @Test("a full disk: exit code 1, and the reason on standard error, once; also with more than a buffer holds")
    func full() throws {
        try place.importLines((1...500).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        let message = "standard output cannot be written: No space left on device"
        for command in Self.commands {
            let run = try run([command[0], place.store] + command.dropFirst(), "> /dev/full").ended(1)
            #expect(run.errors.components(separatedBy: message).count == 2, "\(command): \(run.errors)")
        }
    }

    @Test("too little address space for the store's files: exit code 3, and the error says so")
    func addressSpace() throws {
        try place.importLines([logLine("text", id: "m1", time: "1000")])
        let line = "ulimit -v 1500000; timeout 120 \"$0\" conversations \"$1\""
        let run = try ToolRun.shell(line, [place.store]).ended(3)
        #expect(run.errors.contains("a smaller mapBytes needs less address space"), "\(run.errors)")
        try ToolRun(["conversations", place.store]).succeeded()
    }

    @Test("what makes a store, and what shows no store: exit code 1")
    func others() throws {
        try place.importLines([logLine("a", id: "m")])
        let log = place.logs.directory.path + "/log.ndjson"
        for arguments in [
            ["import", place.store + "-new", log, "--account", "me"],
            ["salvage", place.store, place.store + "-salvaged"],
            ["demo", "--events", "100"], ["--help"], ["--version"], ["import", "--help"],
        ] {
            try run(arguments, "> /dev/full").ended(1, saying: "No space left on device")
        }
    }

    @Test("a command that fails keeps its exit code, and both reasons are told")
    func failing() throws {
        try place.importLines([logLine("a", id: "a")])
        let file = try #require(FileHandle(forUpdatingAtPath: place.store + "/log/data.mdb"))
        try file.truncate(atOffset: 8192)
        try run(["check", place.store], "> /dev/full").ended(3, saying: "No space left on device", "finding")
        try self.run(["log"], "> /dev/full").ended(2)
    }

    @Test("closed streams: exit code 1, and no file of the store takes what was meant for them")
    func closed() throws {
        try place.importLines([logLine("a", id: "a")])
        for redirection in [">&-", "<&- >&-"] {
            try run(["conversations", place.store], redirection).ended(1, saying: "standard output cannot be written")
        }
        for redirection in ["2>&-", "<&- >&- 2>&-"] {
            _ = try run(["conversations", place.store], redirection)
            _ = try run(["import", place.store, "/nowhere", "--account", "me"], redirection)
        }
        try place.run("check").succeeded()
    }

    @Test("whoever reads a pipe may stop: the process ends by the signal, without a word")
    func endedReader() throws {
        try place.importLines((1...2_000).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        let run = try ToolRun.shell("{ \"$0\" log \"$1\" --json; echo $? >&2; } | true", [place.store])
        #expect(run.errors == "\(128 + SIGPIPE)\n")
    }
}
#endif
