import Foundation
import MessageStore
import Testing

/// The benchmarks are a package of their own, which the test run does not build; CI runs these tests again after it has.
enum Benchmarks {
    static let executable = [".build/release", "Benchmarks/.build/release", "Benchmarks/.build/debug"].map {
        DebuggingGuide.root.appendingPathComponent("\($0)/MessageStoreBenchmarks")
    }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    static let areBuilt = executable != nil
}

@Suite(
    "bulk-sync --log", .tool, .enabled(if: Benchmarks.areBuilt, "the benchmarks are not built"),
    .timeLimit(.minutes(30)))
struct BulkSyncLogTests {
    /// Syncs a log with the store and with a peer whose views are compared with a recount.
    private func sync(_ path: String) throws -> ToolRun {
        try ToolRun(
            [
                "bulk-sync", "--log", path, "--peers", "store,grdb-full", "--rounds", "1", "--package-size", "7",
                "--directory", place.logs.directory.path,
            ], of: Benchmarks.executable)
    }

    @Test("a log that export wrote, plain and packed: its messages and changes of members, also those of this device")
    func exported() throws {
        try place.importLines(
            (1...30).map { logLine("text \($0)", id: "m\($0)", from: $0 % 3 == 0 ? "ann" : "bob", time: "\($0)000") })
        let store = try MessageStore.open(place.store, account: "me", configuration: .ofTests)
        let key = ConversationKey.group("c")
        let time = Timestamp(milliseconds: 40_000)
        try store.record([
            Event(MembersAdded(["ann", "cy"], kind: .invited), in: key), .queued(.text("mine"), in: key),
            Event(MembersRemoved(["cy"], kind: .left), in: key), Event(ConversationRead(), in: key),
        ])
        let queued = LocalMessageID(try store.lastPosition().rawValue - 2)
        try store.record([
            .sent(queued, as: "mine", in: key, at: time),
            .received("x", from: "bob", in: .single("bob"), at: time, content: .text("elsewhere")),
        ])
        try store.close()
        for (name, options) in [("log.ndjson", []), ("log.ndjson.gz", ["--gzip"]), ("bare", ["--no-text"])] {
            let path = place.logs.directory.path + "/" + name
            let export = "\"$0\" export \"$1\" \(options.joined(separator: " ")) > \"$2\""
            try ToolRun.shell(export, [place.store, path]).succeeded()
            let run = try sync(path).succeeded()
            #expect(run.output.contains("MessageStore") && run.output.contains(name), "\(run.output)")
            // 32 messages and three changes of members.
            #expect(run.output.contains("35 events"), "\(run.output)")
        }
    }

    @Test("a chat log in the form that import reads; a file that is neither is an error that names the line")
    func chatLog() throws {
        let lines = (1...30).map {
            logLine("text \($0)", id: "m\($0)", from: $0 % 3 == 0 ? "ann" : "bob", time: "\($0)000")
        }
        let path = try place.logs.file(lines.map { $0 + "\n" }.joined().utf8, name: "chat.ndjson")
        let run = try sync(path).succeeded()
        #expect(run.output.contains("chat.ndjson") && run.output.contains("30 events"), "\(run.output)")
        let other = try sync(try place.logs.file("{\"some\":\"json\"}\n".utf8, name: "other.ndjson"))
        #expect(other.exitCode != 0 && other.errors.contains("other.ndjson, line 1"), "\(other.errors)")
    }
}
