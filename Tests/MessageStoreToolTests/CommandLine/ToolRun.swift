import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

/// A run of the built tool, as a user starts it.
struct ToolRun {
    let exitCode: Int32
    let output: String
    let errors: String

    /// The tool, which the build puts beside the tests; nil where it is not there.
    static let executable = built("messagestore", "MessageStoreMain")

    /// The tool as a host builds it.
    static let hostsExecutable = built("MessageStoreHostTool")

    private static func built(_ names: String...) -> URL? {
        let besideTests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { package.deleteLastPathComponent() }
        let directories = [besideTests, Bundle.main.bundleURL, package.appendingPathComponent(".build/debug")]
        return directories.flatMap { directory in names.map { directory.appendingPathComponent($0) } }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    init(
        _ arguments: [String], of executable: URL? = Self.executable, in place: URL? = nil,
        environment: [String: String] = [:]
    ) throws {
        let directory = URL(fileURLWithPath: FileSystem.testDirectory + "/tool-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        // Files, not pipes: output larger than a pipe's buffer must not stop the tool.
        let (outputURL, errorURL) = (directory.appendingPathComponent("out"), directory.appendingPathComponent("err"))
        for url in [outputURL, errorURL] { try Data().write(to: url) }
        let process = Process()
        process.executableURL = executable
        process.currentDirectoryURL = place
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["TMPDIR": FileSystem.testDirectory]) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: outputURL)
        process.standardError = try FileHandle(forWritingTo: errorURL)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit, "\(arguments)")
        exitCode = process.terminationStatus
        output = String(decoding: try Data(contentsOf: outputURL), as: UTF8.self)
        errors = String(decoding: try Data(contentsOf: errorURL), as: UTF8.self)
    }

    var lines: [String] { output.split(separator: "\n").map { String($0) } }

    /// The output as one JSON object.
    func object() throws -> [String: Any] { try Self.object(output) }

    /// The output as JSON lines.
    func objects() throws -> [[String: Any]] { try lines.map { try Self.object($0) } }

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}

/// Logs and a store in a temporary directory.
final class ToolPlace {
    let logs: LogFixture
    var store: String { logs.directory.path + "/store" }

    init() throws {
        logs = try LogFixture()
    }

    /// Imports lines and expects that all is well.
    @discardableResult
    func importLines(_ lines: [String], name: String = "log.ndjson", _ options: [String] = []) throws -> ToolRun {
        let path = try logs.file(lines.map { $0 + "\n" }.joined().utf8, name: name)
        return try ToolRun(["import", store, path, "--account", "me", "--json"] + options)
    }

    func run(_ command: String, _ options: String...) throws -> ToolRun {
        try ToolRun([command, store] + options)
    }

    /// Records each event as a commit of its own, the first at `start`, by a clock that moves on after each.
    func record(
        _ events: [Event], from start: Timestamp, every milliseconds: Int64 = 60_000,
        _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws {
        let time = ManualTime(startingAt: start)
        var configuration = MessageStore.Configuration()
        configuration.now = { time.now }
        change(&configuration)
        let store = try MessageStore.open(self.store, account: "me", configuration: configuration)
        for event in events {
            try store.record([event])
            time.move(byMilliseconds: milliseconds)
        }
        try store.close()
    }

    func digests() throws -> [String: String] {
        try #require(try run("verify", "--json").object()["digests"] as? [String: String])
    }
}

/// A message as a line of a chat log.
func logLine(
    _ text: String, id: String? = nil, conversation: String = "c", from: String = "bob", time: String = "1000",
    kind: String = "group", type: String = "message"
) -> String {
    let id = id.map { "\"\($0)\"" } ?? "null"
    return """
        {"conv":"\(conversation)","kind":"\(kind)","id":\(id),"from":"\(from)","ts":\(time),"type":"\(type)",\
        "text":"\(text)"}
        """
}
