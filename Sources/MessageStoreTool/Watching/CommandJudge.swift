internal import Foundation
internal import MessageStore

/// A command of the user that judges a position by its exit code, as those of `git bisect run` do.
struct CommandJudge {
    enum Verdict: Equatable {
        case isFalse, isTrue, skip
    }

    let command: [String]
    let store: String

    /// Runs the command for a position.
    ///
    /// Its output goes to standard error, since standard output is for results.
    ///
    /// - Throws: ``ToolError`` where it was ended by a signal, ended with 128 or more, or cannot be run.
    func verdict(at position: Position) throws -> Verdict {
        let code = try exitCode(at: position)
        switch code {
        case 0: return .isFalse
        case 125: return .skip
        case 1...127: return .isTrue
        default: throw ToolError.check("the command ended with \(code) at position \(position)")
        }
    }

    #if os(macOS) || os(Linux)
    private func exitCode(at position: Position) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--"] + command
        process.environment = ProcessInfo.processInfo.environment.merging([
            "MESSAGESTORE_STORE": store, "MESSAGESTORE_POSITION": position.description,
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.standardError
        do {
            try process.run()
        } catch {
            throw ToolError.check("the command cannot be run")
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit else {
            throw ToolError.check(
                "the command was ended by signal \(process.terminationStatus) at position \(position)")
        }
        return process.terminationStatus
    }
    #else
    private func exitCode(at position: Position) throws -> Int32 {
        throw ToolError.usage("commands cannot be run on this system")
    }
    #endif
}
