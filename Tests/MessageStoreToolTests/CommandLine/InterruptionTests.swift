import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Ctrl-C", .enabled(if: ToolRun.executable != nil, "the tool is not built"), .timeLimit(.minutes(30)))
struct InterruptionTests {
    @Test("long work ends by the signal, and leaves none of its temporary files", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) throws {
        let place = try ToolPlace()
        let store = try MessageStore.open(place.store, account: "me")
        let group = ConversationKey.group("g")
        for _ in 0..<20 {
            // As long as it takes: each of them is looked at by itself.
            try store.record((0..<2_000).map { Event(ConversationMuted($0.isMultiple(of: 2)), in: group) })
        }
        try store.close()
        let temporary = place.logs.directory.appendingPathComponent("tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        func left() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: temporary.path).filter { $0.contains(".build-") }
        }
        var process = Process()
        // On a busy machine the signal may come when the work is done: then it is done once more.
        for _ in 0..<20 {
            process = Process()
            process.executableURL = ToolRun.executable
            process.arguments = ["doctor", place.store]
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary.path]) { $1 }
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            while process.isRunning, try left().isEmpty { usleep(1_000) }
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            if process.terminationReason == .uncaughtSignal { break }
        }
        #expect(process.terminationReason == .uncaughtSignal, "\(process.terminationStatus)")
        #expect(process.terminationStatus == signal)
        #expect(try left().isEmpty)
    }
}
