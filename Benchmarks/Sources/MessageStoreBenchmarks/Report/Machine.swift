internal import CRawLMDB
internal import Foundation
internal import GRDB

/// Where numbers were measured.
struct Machine: Codable {
    var system: String
    var processor: String
    var cores: Int
    var memoryBytes: UInt64
    /// Names and versions of what was measured.
    var versions: [String: String]

    /// This one; looked at once.
    static let current: Machine = {
        let process = ProcessInfo.processInfo
        return Machine(
            system: process.operatingSystemVersionString, processor: processor, cores: process.activeProcessorCount,
            memoryBytes: process.physicalMemory, versions: versions)
    }()

    private static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }

    private static var versions: [String: String] {
        var versions = ["LMDB": "\(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)"]
        versions["SQLite"] = try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
        versions["GRDB"] = grdbVersion
        versions["RocksDB"] = output("pkg-config", "--modversion", "rocksdb")
        versions["Swift"] = output("swift", "--version")?.split(separator: "\n").first
            .map { $0.replacingOccurrences(of: "Swift version ", with: "") }
        return versions
    }

    /// The version that the package was resolved to; the library does not tell.
    private static var grdbVersion: String? {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Package.resolved")
        guard let data = try? Data(contentsOf: path),
            let resolved = try? JSONDecoder().decode(Resolved.self, from: data)
        else { return nil }
        return resolved.pins.first { $0.identity.hasPrefix("grdb") }?.state.version
    }

    private struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { var version: String? }
            var identity: String
            var state: State
        }
        var pins: [Pin]
    }

    private static func output(_ arguments: String...) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil, let data = try? pipe.fileHandleForReading.readToEnd() else { return nil }
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return process.terminationStatus == 0 && !text.isEmpty ? text : nil
    }
}
