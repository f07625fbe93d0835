import Foundation
import Testing

@Suite("messagestore import --format matrix-sync", .tool, .timeLimit(.minutes(30)))
struct MatrixCommandTests {
    private let options = ["--format", "matrix-sync", "--account", "@me:here", "--json"]

    @Test("the summary counts what is skipped; a chat log's does not have it")
    func summary() throws {
        let path = try place.logs.file(
            response(join: room(timeline: [text("$1"), "{}"], ephemeral: [#"{"type":"m.typing","content":{}}"#])).utf8)
        let run = try ToolRun(["import", place.store, path] + options).succeeded()
        let summary = try run.object()
        #expect(summary["records"] as? Int == 1 && summary["messages"] as? Int == 1)
        #expect(summary["skipped"] as? [String: Int] == ["ephemeral": 1, "field missing": 1])
        #expect(try ToolPlace().importLines([logLine("a", id: "a")]).object()["skipped"] == nil)
    }

    @Test("a bad line: exit code 1, file and line, and none of its text; --skip-bad-lines goes on")
    func badLines() throws {
        let lines = [response("b1", join: room(timeline: [text("$1")])), #"{"sekrit"#, response("b2")]
        let path = try place.logs.file(lines.joined(separator: "\n").utf8)
        let run = try ToolRun(["import", place.store, path] + options)
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("log.ndjson:2: invalid JSON") && !run.errors.contains("sekrit"))
        #expect(try run.object()["messages"] as? Int == 1)
        let again = try ToolRun(["import", place.store, path, "--skip-bad-lines"] + options).succeeded()
        #expect(try again.object()["badLines"] as? Int == 1 && again.object()["records"] as? Int == 2)
    }

    @Test("a missing file is wrong usage, and help names the format")
    func usage() throws {
        #expect(try place.run(["import", place.logs.directory.path + "/missing"], options).exitCode == 2)
        #expect(!FileManager.default.fileExists(atPath: place.store), "no store is made for it")
        let help = try ToolRun(["import", "--help"]).output
        #expect(help.contains("matrix-sync") && help.contains("Docs/MatrixSync.md"))
    }
}

private enum RealMatrixFile {
    static let path = RealLogs.path("matrix-sync")
    static let isPresent = FileManager.default.fileExists(atPath: path)
}

// Skipped where the responses are absent: they are not part of the package.
@Suite(
    "Matrix: real responses", .tool, .enabled(if: RealMatrixFile.isPresent, "the responses are absent"),
    .timeLimit(.minutes(30)))
struct RealMatrixTests {
    @Test("I3, I4: all are imported, no row differs, and again adds no message")
    func whole() throws {
        let arguments = [
            "import", place.store, RealMatrixFile.path, "--format", "matrix-sync", "--account", "@example:localhost",
            "--json",
        ]
        let first = try ToolRun(arguments).succeeded()
        let summary = try first.object()
        // They were made for tests: times of most events are in seconds.
        #expect(summary["records"] as? Int == 9 && summary["messages"] as? Int == 0)
        #expect(summary["conversations"] as? Int == 4)
        let skipped = try #require(summary["skipped"] as? [String: Int])
        #expect(skipped["field missing"] == nil && skipped["not allowed in a store"] == nil)
        #expect(skipped["time in seconds"] == 57)
        let second = try ToolRun(arguments).succeeded()
        #expect(try second.object()["messages"] as? Int == 0)
        let report = try place.run("verify", "--json").succeeded()
        #expect(try report.object()["differenceCount"] as? Int == 0)
    }
}
