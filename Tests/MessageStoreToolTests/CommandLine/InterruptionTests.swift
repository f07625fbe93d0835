import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Ctrl-C", .tool, .timeLimit(.minutes(30)))
struct InterruptionTests {
    @Test("long work ends by the signal, and leaves none of its temporary files")
    func interrupted() throws {
        // So long that the work reports its progress after the signal.
        try place.record((0..<40_000).map { Event(ConversationMuted($0.isMultiple(of: 2)), in: .group("g")) })
        let temporary = try place.makeDirectory("temporary")
        // A shell that starts the tests in the background ignores SIGINT, which children inherit.
        signal(SIGINT, SIG_DFL)
        for signal in [SIGINT, SIGTERM] {
            // On a busy machine the signal may come when the work is done: then it is done once more.
            var process = Process()
            for _ in 0..<20 {
                process = try interrupted(by: signal, temporary)
                if process.terminationReason == .uncaughtSignal { break }
            }
            #expect(process.terminationReason == .uncaughtSignal, "\(process.terminationStatus)")
            #expect(process.terminationStatus == signal)
            #expect(try left().isEmpty)
        }
    }

    // Among the temporary files of everybody another process may be removing the same replay at that moment.
    @Test("replays of killed readers go with the next, young ones stay", arguments: ["verify", "unread --at 1"])
    func killed(command: String) throws {
        try place.record([Event(ConversationMuted(true), in: .group("g"))])
        let temporary = try place.makeDirectory("temporary")
        for (name, age) in [("views.build-1f", 4_000.0), ("views.build-2f", 10)] {
            let path = temporary + "/" + name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for file in ["data.mdb", "lock.mdb"] { try Data([1]).write(to: URL(fileURLWithPath: path + "/" + file)) }
            for file in [path + "/data.mdb", path + "/lock.mdb", path] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file)
            }
        }
        let words = command.split(separator: " ").map { String($0) }
        try ToolRun([words[0], place.store] + words[1...], environment: ["TMPDIR": temporary]).succeeded()
        #expect(try left() == ["views.build-2f"])
    }

    private func left() throws -> [String] { try place.names(in: "temporary").filter { $0.contains(".build-") } }

    /// Runs long work, sends it a signal when it has a temporary file, and waits for its end.
    private func interrupted(by signal: Int32, _ temporary: String) throws -> Process {
        let (process, output, watch) = (Process(), Pipe(), try FolderWatch(temporary))
        process.executableURL = ToolRun.executable
        process.arguments = ["doctor", place.store]
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary]) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        while try left().isEmpty, watch.next(before: output) {}
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process
    }
}
