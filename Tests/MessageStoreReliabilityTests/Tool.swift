#if os(Linux)
import Foundation

/// A run of the tool that is waited for.
enum Tool {
    /// How it ended.
    struct End: Sendable {
        /// -1 where it was killed.
        let exit: Int32
        let output: String
        let errors: String
    }

    /// Runs the tool, on sealed stores if `MESSAGESTORE_SEALED` is set and the arguments name no key.
    static func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> End {
        let place = try TemporaryDirectory()
        let files = ["out", "err"].map { place.path + "/" + $0 }
        for file in files { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        let process = Process()
        process.executableURL = try ChildProcess.executable("messagestore")
        process.arguments = try arguments + Self.keyOption(for: arguments, in: place.path)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardOutput = FileHandle(forWritingAtPath: files[0])
        process.standardError = FileHandle(forWritingAtPath: files[1])
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
        return End(
            exit: process.terminationReason == .exit ? process.terminationStatus : -1, output: texts[0],
            errors: texts[1])
    }

    private static func keyOption(for arguments: [String], in directory: String) throws -> [String] {
        let namesKey = arguments.contains { $0.hasSuffix("key-file") || $0 == "--unseal" }
        guard let key = TemporaryStore.keyBytes, !namesKey else { return [] }
        try Data(key).write(to: URL(fileURLWithPath: directory + "/key"))
        return ["--key-file", directory + "/key"]
    }
}
#endif
