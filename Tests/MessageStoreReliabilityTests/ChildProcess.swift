#if os(macOS) || os(Linux)
import Foundation

/// A running `MessageStoreReliabilityChild`.
final class ChildProcess {
    enum Failure: Error {
        case executableMissing
        case endedEarly(status: Int32)
        case hangs
    }

    /// How a child ended.
    enum End: Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    private let process = Process()
    private let output = Pipe()
    /// Every position that the child acknowledged, oldest first; the first one says that it is ready.
    private(set) var acknowledged: [UInt64] = []

    /// Starts the child and waits until it is ready, if wanted.
    init(_ arguments: [String], environment: [String: String] = [:], untilReady: Bool = true) throws {
        process.executableURL = try Self.executable()
        process.arguments = arguments
        try start(environment)
        guard untilReady else { return }
        guard let first = try output.fileHandleForReading.read(upToCount: 8), first.count == 8 else {
            process.waitUntilExit()
            throw Failure.endedEarly(status: process.terminationStatus)
        }
        acknowledged += Self.numbers(first)
    }

    /// Starts a shell that becomes the child.
    init(shell script: String) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script]
        try start([:])
    }

    private func start(_ environment: [String: String]) throws {
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Waits for so many acknowledgements in all, or the child's end.
    func acknowledgements(_ count: Int) throws -> [UInt64] {
        while acknowledged.count < count {
            guard let next = try output.fileHandleForReading.read(upToCount: 8), next.count == 8 else { break }
            acknowledged += Self.numbers(next)
        }
        return acknowledged
    }

    /// Kills the child and takes what it acknowledged until then. Fails where it had ended by itself.
    func kill() throws {
        Foundation.kill(process.processIdentifier, SIGKILL)
        let end = try wait()
        guard end == .killed(signal: SIGKILL) else { throw Failure.endedEarly(status: process.terminationStatus) }
    }

    var identifier: Int32 { process.processIdentifier }

    /// Waits for the end of the child and takes what it acknowledged.
    ///
    /// - Parameter limit: Seconds after which it is killed.
    /// - Throws: `Failure.hangs` where it had to be killed for that.
    @discardableResult
    func wait(limit: TimeInterval = 60) throws -> End {
        let watch = DispatchSource.makeTimerSource()
        let identifier = process.processIdentifier
        let hangs = Flag()
        watch.schedule(deadline: .now() + limit)
        watch.setEventHandler {
            hangs.set()
            Foundation.kill(identifier, SIGKILL)
        }
        watch.resume()
        defer { watch.cancel() }
        acknowledged += Self.numbers(try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        if hangs.isSet { throw Failure.hangs }
        return process.terminationReason == .exit
            ? .exited(process.terminationStatus) : .killed(signal: process.terminationStatus)
    }

    static func numbers(_ data: Data) -> [UInt64] {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) }
        }
    }

    /// The child stands beside the test bundle, or where `MESSAGESTORE_BATTERY_CHILDREN` says: built in release, it does more.
    static func executable(_ name: String = "MessageStoreReliabilityChild") throws -> URL {
        if let directory = ProcessInfo.processInfo.environment["MESSAGESTORE_BATTERY_CHILDREN"] {
            return URL(fileURLWithPath: directory).appendingPathComponent(name)
        }
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let places =
            bundles
            + [Bundle.main.executableURL, URL(fileURLWithPath: CommandLine.arguments[0])]
            .compactMap { $0 }
        for place in places {
            let file = place.deletingLastPathComponent().appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw Failure.executableMissing
    }
}

/// Set once, on any thread.
final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
#endif
