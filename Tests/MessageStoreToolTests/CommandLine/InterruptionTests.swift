import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Ctrl-C", .tool, .timeLimit(.minutes(30)))
struct InterruptionTests {
    @Test("long work ends by the signal, and leaves none of its temporary files", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) throws {
        // As long as it takes: each of them is looked at by itself.
        try place.record((0..<40_000).map { Event(ConversationMuted($0.isMultiple(of: 2)), in: .group("g")) })
        let temporary = try place.makeDirectory("temporary")
        func left() throws -> [String] { try place.names(in: "temporary").filter { $0.contains(".build-") } }
        var process = Process()
        // On a busy machine the signal may come when the work is done: then it is done once more.
        for _ in 0..<20 {
            process = Process()
            process.executableURL = ToolRun.executable
            process.arguments = ["doctor", place.store]
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary]) { $1 }
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
