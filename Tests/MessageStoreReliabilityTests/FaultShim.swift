#if os(Linux)
import Foundation
import Testing

/// The C library that is preloaded into children; compiled once by whoever needs it first.
enum FaultShim {
    struct CompilerFailed: Error {}

    /// The path of the library; nil where there is no C compiler.
    static let path: String? = try? compile()

    private static func compile() throws -> String {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Shim/faults.c")
        let library = NSTemporaryDirectory() + "messagestore-faults-\(UInt64.random(in: 0...UInt64.max)).so"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", library, source.path, "-ldl", "-lpthread"]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CompilerFailed() }
        return library
    }

    /// What happens at a file call.
    enum Kind: String, CaseIterable {
        case kill
        case inputOutput = "EIO"
        case noSpace = "ENOSPC"
        case noDescriptors = "EMFILE"
        case interrupted = "EINTR"
        case shortWrite = "short"
    }

    /// The environment of a child in which one file call fails.
    ///
    /// - Parameters:
    ///   - call: Its number among the calls on files under `directory`, from 1.
    ///   - isSticky: Whether all that follow fail as well.
    static func environment(under directory: String, _ kind: Kind, at call: Int, isSticky: Bool = false) -> [String:
        String]
    {
        [
            "LD_PRELOAD": path ?? "", "FAULT_UNDER": directory, "FAULT_AT": "\(call)", "FAULT_KIND": kind.rawValue,
            "FAULT_STICKY": isSticky ? "1" : "0",
        ]
    }

    /// Counts the file calls of a child that nothing happens to.
    ///
    /// - Parameter run: Runs the child with an environment, waits for its end, and answers whether that is as wanted.
    static func countCalls(
        under directory: String, _ run: (_ environment: [String: String]) throws -> Bool
    ) throws -> Int {
        let place = try TemporaryDirectory()
        let file = place.path + "/count"
        let isAsWanted = try run(["LD_PRELOAD": path ?? "", "FAULT_UNDER": directory, "FAULT_COUNT": file])
        try #require(isAsWanted)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// The numbers of some of a child's file calls, spread over all of them.
    static func some(_ tries: Int, of calls: Int) -> [Int] {
        let tries = min(calls, tries)
        return (0..<tries).map { ($0 + 1) * calls / tries }
    }

    /// The environment of a child that gets a signal while it holds the mutex of LMDB's readers.
    static func environment(under directory: String, whileHolding signal: Signal) -> [String: String] {
        ["LD_PRELOAD": path ?? "", "FAULT_UNDER": directory, "FAULT_HOLDING": signal.rawValue]
    }

    enum Signal: String { case kill, stop }

    /// The environment of a child whose changes of files are written down.
    static func environment(under directory: String, logIn file: String, ignoresFlushes: Bool) -> [String: String] {
        [
            "LD_PRELOAD": path ?? "", "FAULT_UNDER": directory, "FAULT_LOG": file,
            "FAULT_IGNORE": ignoresFlushes ? "flush" : "",
        ]
    }
}
#endif
