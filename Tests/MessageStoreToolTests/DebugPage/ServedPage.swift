import Foundation
import Testing

/// A page that the built tool serves.
final class ServedPage {
    let address: String
    private let process = Process()
    /// What it prints after the address; it ends with the tool.
    let output = Pipe()

    /// Starts the tool and waits for the address.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = ToolRun.executable
        process.arguments = ["debug"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), let first = byte.first, first != 0x0A {
            line.append(byte)
        }
        address = String(decoding: line, as: UTF8.self)
    }

    /// Interrupts the tool; answers with its exit code.
    func interrupt(by signal: Int32 = SIGINT) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    deinit { if process.isRunning { process.terminate() } }
}

/// A headless browser that clicks and types.
enum BrowserRun {
    /// Where a Chromium is; nil where there is none.
    static let chromium = ["chromium", "chromium-browser", "google-chrome"].lazy
        .map { "/usr/bin/" + $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }

    static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isPossible: Bool { chromium != nil && python != nil }

    /// Runs checks of `checks.py` on addresses, one after the other in one browser, and expects that nothing is wrong.
    static func expectNoProblems(_ checks: (name: String, address: String)...) throws {
        try expectNoProblems(checks)
    }

    static func expectNoProblems(_ checks: [(name: String, address: String)]) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Browser/checks.py")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: python ?? "")
        process.arguments = [script.path, chromium ?? ""] + checks.flatMap { [$0.name, $0.address] }
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
