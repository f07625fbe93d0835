import Foundation
@testable import MessageStore
@_exported import MessageStoreModel
@_exported import MessageStoreTestKit
import MessageStoreLMDB
import Testing

/// A run of the built tool, as a user starts it.
struct ToolRun {
    let arguments: [String]
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
        let build = DebuggingGuide.root.appendingPathComponent(".build/debug")
        let directories = [besideTests, Bundle.main.bundleURL, build]
        return directories.flatMap { directory in names.map { directory.appendingPathComponent($0) } }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
            .flatMap { try? givingKey(to: $0) }
    }

    /// A script that gives the tool the key of sealed stores, or the tool if `MESSAGESTORE_SEALED` is not set.
    private static func givingKey(to tool: URL) throws -> URL {
        guard let key = TemporaryStore.keyBytes else { return tool }
        let path = FileSystem.testDirectory + "/tool-with-key-\(UUID().uuidString)"
        try FileSystem.create(path + ".key", bytes: key)
        try Data("#!/bin/sh\nexec '\(tool.path)' --key-file '\(path).key' \"$@\"\n".utf8)
            .write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return URL(fileURLWithPath: path)
    }

    init(
        _ arguments: [String], of executable: URL? = Self.executable, in place: URL? = nil,
        environment: [String: String] = [:]
    ) throws {
        self.arguments = arguments
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

    /// Runs a line of a shell, in which `$0` is the tool, and `$1` and so on are the arguments.
    static func shell(_ line: String, _ arguments: [String] = []) throws -> ToolRun {
        try ToolRun(["-c", line, #require(executable).path] + arguments, of: URL(fileURLWithPath: "/bin/sh"))
    }

    var lines: [String] { output.split(separator: "\n").map { String($0) } }

    /// Whether it was refused as wrong usage, with words on standard error alone.
    var isWrongUsage: Bool { exitCode == 2 && output.isEmpty && !errors.isEmpty }

    /// The run, which is expected to have gone well.
    @discardableResult
    func succeeded(sourceLocation: SourceLocation = #_sourceLocation) -> ToolRun {
        ended(0, sourceLocation: sourceLocation)
    }

    /// The run, which is expected to have ended with an exit code, with some output or any, and with words on standard
    /// error, where wrong usage is always explained.
    @discardableResult
    func ended(
        _ code: Int32, output expected: String? = nil, saying words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ToolRun {
        let missing = words.filter { !errors.contains($0) }
        let isExplained = exitCode != 2 || !errors.isEmpty
        #expect(
            exitCode == code && missing.isEmpty && isExplained && output == expected ?? output,
            "\(arguments) ended with \(exitCode): \(output) \(errors) lacks \(missing)", sourceLocation: sourceLocation)
        return self
    }

    /// The output as one JSON object.
    func object() throws -> [String: Any] { try Self.object(output) }

    /// The output as JSON lines.
    func objects() throws -> [[String: Any]] { try lines.map { try Self.object($0) } }

    /// The values of one name in JSON lines, of those that have it.
    func values<Value>(_ name: String, as type: Value.Type = Int.self) throws -> [Value] {
        try objects().compactMap { $0[name] as? Value }
    }

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}

extension [String: Any] {
    /// The object of a name, an empty one where there is none.
    func object(_ name: String) -> [String: Any] { self[name] as? [String: Any] ?? [:] }

    /// The objects of a name, none where there are none.
    func objects(_ name: String) -> [[String: Any]] { self[name] as? [[String: Any]] ?? [] }
}

/// Gives each test of the built tool an empty ``place``, and skips it where the tool is not built.
struct ToolTrait: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal fileprivate static var place: ToolPlace?

    let isRecursive = true

    func prepare(for test: Test) async throws {
        let condition: ConditionTrait = .enabled(if: ToolRun.executable != nil, "the tool is not built")
        try await condition.prepare(for: test)
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.$place.withValue(ToolPlace()) { try await function() }
    }
}

extension Trait where Self == ToolTrait {
    static var tool: Self { Self() }
}

/// The place of a test with the trait `tool`.
var place: ToolPlace {
    guard let place = ToolTrait.place else { preconditionFailure("the suite lacks the trait `tool`") }
    return place
}

/// Logs and a store in a temporary directory.
final class ToolPlace: Sendable {
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

    /// Runs a command on the store: its name, then what follows the store.
    func run(_ command: [String], _ options: [String] = []) throws -> ToolRun {
        try ToolRun([command[0], store] + command.dropFirst() + options)
    }

    /// Opens the store for writing, and closes it after `body`.
    @discardableResult
    func write<Result>(
        account: UserID = "me", _ change: (inout MessageStore.Configuration) -> Void = { _ in },
        _ body: (MessageStore) throws -> Result
    ) throws -> Result {
        var configuration = MessageStore.Configuration.ofTests
        change(&configuration)
        let store = try MessageStore.open(self.store, account: account, configuration: configuration)
        let result = try body(store)
        try store.close()
        return result
    }

    /// Records events as one commit.
    func record(
        _ events: [Event], _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws {
        try write(change) { try $0.record(events) }
    }

    /// Records each event as a commit of its own.
    func record(each events: [Event]) throws {
        try write { store in for event in events { try store.record([event]) } }
    }

    /// The same, the first at `start`, by a clock that moves on after each.
    func record(
        _ events: [Event], from start: Timestamp, every milliseconds: Int64 = 60_000,
        _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws {
        try record(events.map { [$0] }, from: start, every: milliseconds, change)
    }

    /// Records commits, the first at `start`, by a clock that moves on after each.
    func record(
        _ commits: [[Event]], from start: Timestamp, every milliseconds: Int64 = 60_000,
        _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws {
        let time = ManualTime(startingAt: start)
        try write({ configuration in
            configuration.now = { time.now }
            change(&configuration)
        }) { store in
            for events in commits {
                try store.record(events)
                time.move(byMilliseconds: milliseconds)
            }
        }
    }

    /// Records a long log, of events about 40 conversations: 10,000 events, or 100,000 in a full run.
    func recordMutes() throws {
        try write { store in
            for batch in 0..<TestSize.of(plain: 10, full: 100) {
                try store.record(
                    (0..<1000).map { Event(ConversationMuted(batch.isMultiple(of: 2)), in: .group("g\($0 % 40)")) })
            }
        }
    }

    /// The keys of the store; nil if it is clear.
    func keys() throws -> StoreKeys? {
        try StoreIdentity.read(from: store).keys(in: StoreDirectory(path: store), TemporaryStore.key)
    }

    /// Breaks the checksum of a record.
    func damage(_ position: UInt8) throws {
        let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, position]
        try change("log", "records") { transaction, records throws in
            var bytes = try transaction.value(for: key.span.bytes, in: records)?.withUnsafeBytes { [UInt8]($0) } ?? []
            bytes[bytes.count - 1] ^= 1
            try transaction.put(bytes.span.bytes, for: key.span.bytes, in: records)
        }
    }

    /// Changes a table of the log or of the views.
    func change(
        _ environment: String, _ table: String, _ body: (borrowing WriteTransaction, Table) throws -> Void
    ) throws {
        let keys = try keys()
        let environment = try Environment(
            path: store + "/" + environment,
            configuration: .init(access: .readWrite, key: environment == "log" ? keys?.log : keys?.views))
        let table = try environment.openTables([table], create: false)[0]
        try environment.write { transaction throws in try body(transaction, table) }
    }

    /// Imports an exported log, written to this place, into a store of another place.
    func imported(_ export: some Sequence<UInt8>, name: String = "export") throws -> (copy: ToolPlace, run: ToolRun) {
        let copy = try ToolPlace()
        let file = try logs.file(export, name: name)
        return (copy, try ToolRun(["import", copy.store, file, "--format", "events", "--json"]))
    }

    /// The files of the directory, or of one within.
    func names(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: logs.directory.path + "/" + directory).sorted()
    }

    /// Makes a directory, for temporary files of the tool.
    func makeDirectory(_ name: String) throws -> String {
        let path = logs.directory.path + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// The positions of the events that the log command chooses.
    func logged(_ options: String...) throws -> [Int] { try logged(options) }

    /// The same.
    func logged(_ options: [String]) throws -> [Int] {
        try run(["log", "--json"], options).succeeded().values("position")
    }

    func digests() throws -> [String: String] {
        try #require(try run("verify", "--json").succeeded().object()["digests"] as? [String: String])
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
