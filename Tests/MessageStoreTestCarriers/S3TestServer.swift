#if S3
internal import Foundation
package import MessageStoreS3
internal import MessageStoreTestKit

/// The service in `server.py`, on a directory that is removed with this object; it ends with the tests in any case.
package final class S3TestServer {
    enum Failure: Error { case notStarted }

    package static let isPossible = Python.executable != nil

    package let port: String
    /// Where the server keeps its objects.
    package let directory: String
    private let place: TemporaryStore
    private let process = Process()
    // The server ends when this does.
    private let input = Pipe()

    /// Starts the server on an empty directory.
    package convenience init(_ arguments: String...) throws { try self.init(TemporaryStore(), arguments) }

    /// Starts the server again, on the same directory and port.
    package convenience init(after other: S3TestServer) throws { try self.init(other.place, ["--port", other.port]) }

    private init(_ place: TemporaryStore, _ arguments: [String]) throws {
        self.place = place
        directory = place.directory + "/s3"
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("server.py")
        let output = Pipe()
        process.executableURL = Python.executable
        process.arguments = [script.path, directory] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), let first = byte.first, first != 0x0A {
            line.append(byte)
        }
        port = String(decoding: line, as: UTF8.self)
        guard !port.isEmpty else { throw Failure.notStarted }
    }

    deinit { kill() }

    /// Kills the server in the middle of whatever it does.
    package func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Changes faults; see `server.py`.
    package func set(_ faults: String) throws {
        _ = try Python.run(
            "import sys, urllib.request; urllib.request.urlopen(sys.argv[1], b'')",
            "http://127.0.0.1:\(port)/_faults?\(faults)")
    }

    /// A configuration for it, with short timeouts.
    package func configuration(
        _ prefix: String = "", _ change: (inout S3Carrier.Configuration) -> Void = { _ in }
    ) -> S3Carrier.Configuration {
        var configuration = S3Carrier.Configuration(
            endpoint: "http://127.0.0.1:\(port)", bucket: "bucket", prefix: prefix, accessKey: "access",
            secretKey: "secret")
        configuration.connectTimeout = .seconds(5)
        configuration.requestTimeout = .seconds(60)
        configuration.objectSize = 100_000
        change(&configuration)
        return configuration
    }

    package func carrier(
        _ prefix: String = "", _ change: (inout S3Carrier.Configuration) -> Void = { _ in }
    ) throws -> S3Carrier {
        try S3Carrier(configuration(prefix, change))
    }
}
#endif
