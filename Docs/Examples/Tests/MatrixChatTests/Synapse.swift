import Foundation

/// A Synapse server of the tests, run by `Scripts/synapse`.
enum Synapse {
    struct Failure: Error, CustomStringConvertible {
        let exitCode: Int32
        let description: String
    }

    /// Where it is installed and has its data.
    private static let folder = root + "/.build/synapse"
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The address of the server with the users alice, bob and carol, or the reason that it does not run.
    static let address = Result { () throws -> String in
        try run("install")
        try run("clear")
        atexit { try? Synapse.stop() }
        return try run("start", "alice", "bob", "carol").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether it can be installed here; prints the reason if it cannot.
    static var isAvailable: Bool {
        guard case .failure(let failure as Failure) = address, failure.exitCode == 3 else { return true }
        print("The tests with Synapse are skipped. \(failure)")
        return false
    }

    static func start() throws { try run("start") }
    static func kill() throws { try run("kill") }
    static func stop() throws { try run("stop") }

    /// The built client.
    static var matrixChat: String { root + "/.build/debug/MatrixChat" }

    /// Runs the script and returns its output.
    @discardableResult
    private static func run(_ action: String, _ users: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: root + "/Scripts/synapse")
        process.arguments = [action, folder] + users
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let reason = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(exitCode: process.terminationStatus, description: reason)
        }
        return text
    }
}
