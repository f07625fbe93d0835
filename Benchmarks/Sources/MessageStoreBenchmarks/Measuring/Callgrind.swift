internal import CCallgrind
internal import Foundation

/// Counts instructions by running this program under `valgrind --tool=callgrind`.
enum Callgrind {
    /// Runs this program with these arguments and answers the instructions of each part that it dumped by name; empty
    /// where valgrind is missing.
    static func instructions(_ arguments: [String], in directory: String) throws -> [String: Int] {
        // Valgrind does not read the debug information of this toolchain.
        let program = "\(directory)/program"
        try run(["strip", "--strip-debug", "-o", program, try KilledStore.executable()])
        try run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=\(directory)/callgrind", program] + arguments)
        var counts: [String: Int] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: directory) where file.hasPrefix("callgrind.") {
            let text = try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)
            try FileManager.default.removeItem(atPath: "\(directory)/\(file)")
            guard let name = value(after: "desc: Trigger: Client Request: ", in: text),
                let total = value(after: "summary: ", in: text) ?? value(after: "totals: ", in: text)
            else { continue }
            counts[name] = Int(total)
        }
        return counts
    }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }

    private static func value(after prefix: String, in text: String) -> String? {
        guard let start = text.range(of: prefix)?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\n" }).trimmingCharacters(in: .whitespaces)
    }

    static func zero() { callgrind_zero() }
    static func dump(_ name: String) { callgrind_dump(name) }
}
