#if os(macOS) || os(Linux)
import Foundation

/// A running `MessageStoreCrashChild`.
final class ChildProcess {
    enum Failure: Error {
        case executableMissing
        case endedEarly(status: Int32)
    }

    private let process = Process()
    private let output = Pipe()
    /// Every position that the child told, oldest first; the first one says that it is ready.
    private(set) var told: [UInt64] = []

    /// Starts the child and waits until it is ready, if wanted.
    init(_ arguments: [String], untilReady: Bool = true) throws {
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        guard untilReady else { return }
        guard let first = try output.fileHandleForReading.read(upToCount: 8), first.count == 8 else {
            process.waitUntilExit()
            throw Failure.endedEarly(status: process.terminationStatus)
        }
        told += Self.numbers(first)
    }

    /// Kills the child and takes what it told until then. Fails where it had ended by itself.
    func kill() throws {
        Foundation.kill(process.processIdentifier, SIGKILL)
        told += Self.numbers(try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
            throw Failure.endedEarly(status: process.terminationStatus)
        }
    }

    private static func numbers(_ data: Data) -> [UInt64] {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) }
        }
    }

    /// The child stands beside the test bundle.
    private static func executable() throws -> URL {
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let places =
            bundles
            + [Bundle.main.executableURL, URL(fileURLWithPath: CommandLine.arguments[0])]
            .compactMap { $0 }
        for place in places {
            let file = place.deletingLastPathComponent().appendingPathComponent("MessageStoreCrashChild")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw Failure.executableMissing
    }
}

/// A directory that goes with its owner.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "crash-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names in the directory.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }
}
#endif
