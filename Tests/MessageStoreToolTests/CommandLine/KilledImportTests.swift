import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

/// Imports that end midway, and imports into one place at once.
@Suite("messagestore import, killed and raced", .tool, .serialized, .timeLimit(.minutes(30)))
struct KilledImportTests {
    private let log: String

    private static let messages = TestSize.of(plain: 1_000, full: 3_000)

    /// A chat log, and the log of a store that was made of it.
    init() throws {
        let lines = (1...Self.messages).map {
            logLine("text \($0)", id: "m\($0)", conversation: "c\($0 % 9)", time: "\($0)000")
        }
        log = try place.logs.file(lines.map { $0 + "\n" }.joined().utf8, name: "log.ndjson")
        try place.importLines(lines)
        let export = try place.run("export")
        _ = try place.logs.file(export.output.utf8, name: "export")
    }

    enum Format: String, CaseIterable { case chatLog = "chat-log", events }

    private func arguments(_ format: Format, _ store: String) -> [String] {
        let file = format == .events ? place.logs.directory.path + "/export" : log
        return ["import", store, file, "--format", format.rawValue, "--json"]
            + (format == .events ? [] : ["--account", "me", "--package-size", "50"])
    }

    private func started(_ arguments: [String], output: Pipe? = nil, errors: URL? = nil) throws -> Process {
        let process = Process()
        process.executableURL = ToolRun.executable
        process.arguments = arguments
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        if let errors {
            try Data().write(to: errors)
            process.standardError = try FileHandle(forWritingTo: errors)
        }
        try process.run()
        return process
    }

    /// Starts an import, and kills it when it has begun to make its store and some time has gone by.
    private func kill(_ arguments: [String], after delay: TimeInterval) throws -> Bool {
        let (before, output) = (try names(), Pipe())
        let watch = try FolderWatch(place.logs.directory.path)
        let process = try started(arguments, output: output)
        while try names() == before, watch.next(before: output) {}
        Thread.sleep(forTimeInterval: delay)
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: place.logs.directory.path))
    }

    @Test("I2, I4: the same import after a kill makes the whole store", arguments: Format.allCases)
    func killed(format: Format) throws {
        let expected = try place.digests()
        var kills = 0
        for round in 0..<3 {
            let store = place.store + "-\(format.rawValue)-\(round)"
            let isKilled = try kill(arguments(format, store), after: 0.02 * Double(round))
            kills += isKilled ? 1 : 0
            let isThere = FileManager.default.fileExists(atPath: store)
            if isThere {
                // What is there is a store, of whole packages, and nothing takes it for more than it is.
                #expect(try ToolRun(["check", store]).exitCode == 0)
                let run = try ToolRun(["unread", store, "--json"])
                let count = try #require(try run.object()["total"] as? Int)
                #expect(count.isMultiple(of: 50) && (isKilled || count == Self.messages), "\(count)")
            }
            if format == .events, isThere {
                let events = try ToolRun(["stats", store, "--json"]).object()["events"] as? Int
                #expect(events == Self.messages, "not before it is whole")
            } else {
                try ToolRun(arguments(format, store)).succeeded()
            }
            #expect(try ToolRun(["verify", store, "--json"]).object()["digests"] as? [String: String] == expected)
        }
        #expect(kills >= 2, "\(kills) of 3 were killed midway")
        // What a killed import left beside its store is named so that a later one removes it.
        let stores = try names().filter { $0.hasPrefix("store") }
        let left = try names().subtracting(stores).subtracting(["log.ndjson", "export"])
        #expect(
            left.allSatisfy { $0.hasPrefix("messagestore.copying-") || $0.hasPrefix("messagestore.creating-") },
            "\(left)")
    }

    @Test(
        "two imports into one place at once: one makes it, and the other says what is in its way",
        arguments: Format.allCases)
    func race(format: Format) throws {
        let expected = try place.digests()
        var losers = 0
        for round in 0..<3 {
            let store = place.store + "-\(format.rawValue)-\(round)"
            let errors = (0..<2).map { place.logs.directory.appendingPathComponent("errors-\($0)") }
            let processes = try errors.map { try started(arguments(format, store), errors: $0) }
            processes.forEach { $0.waitUntilExit() }
            let codes = processes.map(\.terminationStatus)
            #expect(codes.contains(0), "\(codes)")
            for (code, errors) in zip(codes, errors) where code != 0 {
                losers += 1
                let text = try String(contentsOf: errors, encoding: .utf8)
                let isClear = ["already open", "exists already", "made a store here meanwhile"].contains {
                    text.contains($0)
                }
                #expect((2...3).contains(code) && isClear && !text.contains("NSCocoa"), "\(code): \(text)")
            }
            // Where the first one won before the second looked, the second added nothing.
            #expect(try ToolRun(["verify", store, "--json"]).object()["digests"] as? [String: String] == expected)
            #expect(try ToolRun(["check", store]).exitCode == 0)
        }
        #expect(losers > 0)
        let left = try names().filter {
            !$0.hasPrefix("store") && !$0.hasPrefix("errors") && $0 != "log.ndjson" && $0 != "export"
        }
        #expect(left.isEmpty, "\(left)")
    }

    @Test("I2: the next import removes the empty store that another one was killed over")
    func leftover() throws {
        let (files, path) = (FileManager.default, place.logs.directory.path + "/new")
        let aside = try StoreCreation(path: path).aside
        try MessageStore.open(aside, account: "me", configuration: .ofTests).close()
        for name in (files.subpaths(atPath: aside) ?? []).reversed() + [""] {
            let old = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)]
            try files.setAttributes(old, ofItemAtPath: aside + "/" + name)
        }
        _ = try StoreCreation(path: path)
        #expect(!files.fileExists(atPath: aside))
    }
}
