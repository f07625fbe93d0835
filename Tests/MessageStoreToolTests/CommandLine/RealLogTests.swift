import Foundation
import Testing

/// Real chat logs beside the package.
enum RealLogs {
    static let directory = DebuggingGuide.root.deletingLastPathComponent().appendingPathComponent("shared/data")

    static func path(_ name: String) -> String { directory.appendingPathComponent("\(name).ndjson.gz").path }

    static let arePresent = ["qtox-irc", "zh-dialog"].allSatisfy { FileManager.default.fileExists(atPath: path($0)) }
}

// Skipped where the logs are absent: they are not part of the package.
@Suite(
    "I3: whole real logs", .tool, .enabled(if: RealLogs.arePresent, "the logs are absent"), .timeLimit(.minutes(30)))
struct RealLogTests {
    @Test(
        "every record of a real log is imported, and no row differs",
        arguments: [("qtox-irc", 63_829), ("zh-dialog", 35_992)])
    func whole(name: String, records: Int) throws {
        let options = ["--account", "me", "--json", "--package-size", "2000"]
        let file = place.logs.directory.appendingPathComponent("log.ndjson.gz").path
        let records = TestSize.of(plain: 4_000, full: records)
        _ = try ToolRun(
            ["-c", "gzip -dc \"$0\" | head -n \(records) | gzip -1 > \"$1\"", RealLogs.path(name), file],
            of: URL(fileURLWithPath: "/bin/sh"))
        let run = try ToolRun(["import", place.store, file] + options).succeeded()
        #expect(try run.object()["records"] as? Int == records)
        let report = try place.run("verify", "--json").succeeded()
        #expect(try report.object()["differenceCount"] as? Int == 0)
    }
}
