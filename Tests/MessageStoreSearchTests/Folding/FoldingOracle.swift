import Foundation

@testable import MessageStoreSearch

/// The program `oracle.py`, which folds texts by the same rules and shares no code or table with the library.
enum FoldingOracle {
    static let python = "/usr/bin/env"
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("oracle.py").path

    /// The scalars that Python's version of Unicode has, and the library's table as well.
    static let scalars: [Unicode.Scalar] = {
        guard let output = try? run("scalars") else { return [] }
        let table = FoldingRules.unicodeVersion.split(separator: ".").compactMap { Int($0) }
        return output.split(separator: "\n").dropFirst().flatMap { line -> [Unicode.Scalar] in
            let ends = line.split(separator: "-").compactMap { UInt32($0, radix: 16) }
            return (ends[0]...ends[1]).compactMap(Unicode.Scalar.init)
        }.filter { scalar in
            guard let age = scalar.properties.age else { return false }
            return (age.major, age.minor) <= (table[0], table[1])
        }
    }()

    static var isAvailable: Bool { !scalars.isEmpty }

    /// The units of texts, a line for each text.
    static func units(of texts: [[UInt8]]) throws -> [Substring] {
        let lines = texts.map { text in hex(text[...]) + "\n" }
        return try run("fold", input: lines.joined()).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
    }

    /// The units that the library makes of a text, as the oracle writes them.
    static func line(_ text: FoldedText) -> String {
        text.units.map { unit in
            let kind = unit.kind == .word ? "w" : "c"
            let folded = hex(text.bytes[unit.folded])
            return "\(kind)\(unit.isJoined ? 1 : 0):\(folded):\(unit.source.lowerBound)-\(unit.source.upperBound)"
        }.joined(separator: " ")
    }

    private static let digits = Array("0123456789abcdef".utf8)

    static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func run(_ command: String, input: String = "") throws -> String {
        let process = Process()
        let (standardInput, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["python3", script, command]
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Both pipes are small, so one thread cannot write all and then read all.
        let bytes = Data(input.utf8)
        let writer = Thread {
            try? standardInput.fileHandleForWriting.write(contentsOf: bytes)
            try? standardInput.fileHandleForWriting.close()
        }
        writer.start()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: answer, as: UTF8.self)
    }
}
