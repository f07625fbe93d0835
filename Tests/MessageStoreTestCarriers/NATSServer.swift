#if JetStream
internal import Foundation
internal import MessageStoreCNATS
package import MessageStoreJetStream
internal import MessageStoreTestKit

/// A server of its own, which ends with this object.
package final class NATSServer {
    enum Failure: Error { case noPort, noAnswer }

    /// The executable from `PATH`; nil where there is none.
    package static let executable: String? = {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { $0 + "/nats-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        if path == nil { print("Tests of JetStream are skipped: there is no nats-server in PATH.") }
        return path
    }()

    private let place: TemporaryStore
    private let settings: String
    private var process = Process()
    package private(set) var port = -1
    package private(set) var monitoring = -1

    /// Where the server keeps its streams.
    package var directory: String { place.directory + "/jetstream" }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - jetStream: Settings within the block of JetStream.
    ///   - settings: Settings of the server.
    package init(jetStream: String = "sync_interval: always", _ settings: String = "") throws {
        place = try TemporaryStore()
        self.settings = """
            jetstream { store_dir: "\(place.directory)/jetstream", \(jetStream) }
            \(settings)
            """
        try start()
    }

    deinit { kill() }

    /// Ends the server as a power loss of the process ends it.
    package func kill() {
        guard process.isRunning else { return }
        send(SIGKILL, to: process.processIdentifier)
        process.waitUntilExit()
    }

    /// Starts the server, at the port that it had before.
    package func start() throws {
        let file = place.directory + "/nats.conf"
        let ports = "host: 127.0.0.1\nport: \(port)\nhttp: \"127.0.0.1:\(monitoring)\"\n"
        try Data((ports + settings).utf8).write(to: URL(fileURLWithPath: file))
        process = Process()
        process.executableURL = URL(fileURLWithPath: Self.executable ?? "/nonexistent")
        process.arguments = ["-c", file]
        process.standardOutput = FileHandle.nullDevice
        let log = Pipe()
        process.standardError = log
        try process.run()
        var text = ""
        while !text.contains("Server is ready") {
            let bytes = log.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw Failure.noPort }
            text += String(decoding: bytes, as: UTF8.self)
        }
        // It would wait where nobody reads what it logs.
        log.fileHandleForReading.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
        guard let port = text.firstMatch(of: #/client connections on 127\.0\.0\.1:(\d+)/#).flatMap({ Int($0.1) }),
            let monitoring = text.firstMatch(of: #/http monitor on 127\.0\.0\.1:(\d+)/#).flatMap({ Int($0.1) })
        else { throw Failure.noPort }
        (self.port, self.monitoring) = (port, monitoring)
    }

    /// A configuration for the server.
    package func configuration(
        prefix: String = "place", _ change: (inout JetStreamCarrier.Configuration) -> Void = { _ in }
    ) -> JetStreamCarrier.Configuration {
        var configuration = JetStreamCarrier.Configuration(
            servers: ["nats://127.0.0.1:\(port)"], stream: "TEST", prefix: prefix)
        configuration.timeout = .seconds(60)
        change(&configuration)
        return configuration
    }

    /// Asks JetStream something that carriers do not ask; question and answer are JSON.
    @discardableResult
    package func request(_ subject: String, _ question: String = "") throws -> String {
        var (connection, answer) = (nil as OpaquePointer?, nil as OpaquePointer?)
        defer {
            natsMsg_Destroy(answer)
            natsConnection_Destroy(connection)
        }
        guard natsConnection_ConnectTo(&connection, "nats://127.0.0.1:\(port)") == NATS_OK,
            natsConnection_RequestString(&answer, connection, "$JS.API." + subject, question, 10_000) == NATS_OK,
            let bytes = natsMsg_GetData(answer)
        else { throw Failure.noAnswer }
        return String(cString: bytes)
    }

    /// The bytes of all messages that the stream of ``configuration(prefix:_:)`` has.
    package func messages() throws -> [[UInt8]] {
        let info = try request("STREAM.INFO.TEST")
        guard let last = info.firstMatch(of: #/"last_seq":(\d+)/#).flatMap({ UInt64($0.1) }) else {
            throw Failure.noAnswer
        }
        var connection: OpaquePointer?
        defer { natsConnection_Destroy(connection) }
        let status = natsConnection_ConnectTo(&connection, "nats://127.0.0.1:\(port)")
        guard status == NATS_OK else { throw Failure.noAnswer }
        return try (0...last).dropFirst().map { number in
            var answer: OpaquePointer?
            defer { natsMsg_Destroy(answer) }
            let question = "{\"seq\":\(number)}"
            let status = natsConnection_RequestString(
                &answer, connection, "$JS.API.DIRECT.GET.TEST", question, 10_000)
            guard status == NATS_OK else { throw Failure.noAnswer }
            let count = Int(natsMsg_GetDataLength(answer))
            return [UInt8](UnsafeRawBufferPointer(start: natsMsg_GetData(answer), count: count))
        }
    }

    /// Whether a file of the server holds the bytes.
    package func holds(_ bytes: [UInt8]) throws -> Bool {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return names.contains {
            FileManager.default.contents(atPath: directory + "/" + $0)?.range(of: Data(bytes)) != nil
        }
    }
}

private func send(_ signal: Int32, to process: Int32) { _ = kill(process, signal) }
#endif
