#if JetStream
internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A stream of NATS JetStream as a carrier.
///
/// An object is a message that carries the object's name in a header; all objects whose names have the same first part
/// share a subject. A put names the last message of the subject that this carrier knows of, and the server takes it only
/// if there is no later one, so that of several rivals exactly one succeeds. Objects of more than
/// ``Configuration/objectSize`` bytes are split into several messages.
///
/// The promise of a put depends on how the server writes to disk; see ``durability()``. Replaced and removed objects
/// are erased: the server writes their block once more without them, except if it encrypts its files, and except in the
/// logs of a stream that has replicas, which hold the bytes until the server compacts them. A list of a stream with
/// replicas may lack the last objects that others put for as long as a replica lags; a put is exact there as well.
///
/// Calls are made one after the other. The connection is made by the first one and renewed when it is lost.
public final class JetStreamCarrier: Carrier {
    /// A message has at most so many bytes; longer objects are put as several messages.
    public let objectSize: Int
    /// The servers and the place on them.
    public let description: String
    let configuration: Configuration
    private let objects: Mutex<JetStreamObjects>
    private let queue = DispatchQueue(label: "MessageStore.JetStreamCarrier")

    /// Makes a carrier without connecting it yet.
    ///
    /// - Parameter configuration: The servers and the place on them.
    /// - Throws: `StoreError`: `invalidArgument` if the configuration is not valid.
    public init(_ configuration: Configuration) throws {
        try configuration.validate()
        self.configuration = configuration
        objectSize = configuration.objectSize
        description = configuration.description
        objects = Mutex(JetStreamObjects(configuration))
    }

    /// Makes a carrier from a URL and the variables of an environment, as a command-line tool gets them.
    ///
    /// - Parameters:
    ///   - url: `nats://host:port/STREAM/PREFIX`, or `tls://…`.
    ///   - environment: The variables in which ``Configuration/init(url:environment:)`` finds secrets and options.
    /// - Throws: `StoreError`: `invalidArgument` if either is not valid.
    public convenience init(url: String, environment: [String: String]) throws {
        try self.init(Configuration(url: url, environment: environment))
    }

    /// Puts an object if no object has the name, and waits until the server has stored it.
    ///
    /// - Returns: Whether the object was put; false if one has the name, which stays as it is.
    /// - Throws: `StoreError`: `carrierFailed`, after which the object may be there; `carrierRefused`, `diskFull`.
    public func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool {
        try name.checkObjectName()
        return try await run { try $0.put(bytes, name, replaces: false, until: $1) }
    }

    /// The bytes of an object; nil if it does not exist.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`.
    public func get(_ name: String) async throws -> [UInt8]? {
        try name.checkObjectName()
        return try await run { try $0.get(name, until: $1) }
    }

    /// The first names of objects that begin with a prefix and follow a name, ascending.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`.
    public func list(_ prefix: String, after name: String?) async throws -> [String] {
        try await run { try $0.list(prefix, after: name, until: $1) }
    }

    /// Puts an object in the place of the one that has the name, if there is one, which is erased.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, after which either object may be there; `carrierRefused`, `diskFull`.
    public func replace(_ name: String, with bytes: [UInt8]) async throws {
        try name.checkObjectName()
        _ = try await run { try $0.put(bytes, name, replaces: true, until: $1) }
    }

    /// Erases an object, if there is one.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`.
    public func remove(_ name: String) async throws {
        try name.checkObjectName()
        try await run { try $0.remove(name, until: $1) }
    }

    /// Runs calls that block, one after the other, within the time that a call has.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (inout JetStreamObjects, _ until: Deadline) throws -> Result
    ) async throws -> Result {
        let deadline = Deadline(configuration.timeout)
        return try await queue.run { try self.objects.withLock { try body(&$0, deadline) } }
    }
}

extension JetStreamCarrier {
    /// How a client proves to the server who it is; no description or reflection of it shows a secret.
    public enum Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        /// The server asks for nothing.
        case none
        /// The name of a user and its password.
        case user(String, password: String)
        /// A token.
        case token(String)
        /// The path of a file with a user's JWT and key, as `nsc` writes it.
        case file(String)

        /// The kind alone.
        public var description: String {
            switch self {
            case .none: "none"
            case .user: "user"
            case .token: "token"
            case .file: "file"
            }
        }

        /// The kind alone.
        public var debugDescription: String { description }

        /// No children, so that reflection finds no secret.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension JetStreamCarrier {
    /// The meaning of a server's acknowledgement of a message.
    public enum Durability: Hashable, Sendable {
        /// Every message is on the disk before it is acknowledged.
        case everyMessage
        /// It may not be there yet, or that cannot be known; the reason, for people.
        case weaker(String)
    }

    /// Asks for the promise of a put.
    ///
    /// The server writes every message to the disk before it acknowledges it, if its setting `sync_interval` is
    /// `always`, which servers have from version 2.10 on. No client can read the setting but by the port for
    /// monitoring; see ``Configuration/monitoring``. Of a stream with replicas, one server is asked alone.
    ///
    /// - Returns: The durability that the stream's server is known to have; `weaker` with the reason in all other
    ///   cases.
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`, if the stream cannot be asked for.
    public func durability() async throws -> Durability {
        let stream = configuration.stream
        let (answer, server) = try await run { objects, deadline in
            try objects.call(until: deadline) {
                (try $0.answer("$JS.API.STREAM.INFO.\(stream)", until: deadline), $0.server)
            }
        }
        guard let info = try? JSONDecoder().decode(StreamAnswer.self, from: Data(answer)) else {
            return .weaker("the server's answer on the stream cannot be read")
        }
        if info.config?.persist_mode == "async" {
            return .weaker("the stream acknowledges messages before they are written (persist_mode async)")
        }
        if let replicas = info.config?.num_replicas, replicas > 1 {
            return .weaker("the stream has \(replicas) replicas, whose servers' settings were not asked for")
        }
        guard let monitoring = configuration.monitoring else {
            return .weaker("the server's sync_interval cannot be read without the URL of its monitoring")
        }
        guard let settings = await ServerAnswer.get(monitoring, configuration.timeout) else {
            return .weaker("the server's sync_interval cannot be read: its monitoring does not answer")
        }
        let isThisServer = info.cluster?.leader.map { $0 == settings.server_name } ?? (server == settings.server_id)
        guard isThisServer else { return .weaker("the monitoring is that of another server") }
        guard let jetStream = settings.jetstream?.config else {
            return .weaker("the server does not report its sync_interval")
        }
        if jetStream.sync_always == true { return .everyMessage }
        guard let interval = jetStream.sync_interval, interval > 0 else {
            return .weaker("the server, of version \(settings.version ?? "unknown"), reports no sync_interval")
        }
        return .weaker(
            "the server writes to the disk every \(Duration.nanoseconds(interval)); its sync_interval is not always")
    }

    /// A server's answer on itself, with the names that it uses.
    private struct ServerAnswer: Decodable {
        struct JetStream: Decodable { let config: Settings? }
        struct Settings: Decodable {
            let sync_interval: Int64?
            let sync_always: Bool?
        }
        let server_id: String?
        let server_name: String?
        let version: String?
        let jetstream: JetStream?

        static func get(_ monitoring: String, _ timeout: Duration) async -> Self? {
            guard let url = URL(string: monitoring)?.appendingPathComponent("varz") else { return nil }
            let request = URLRequest(url: url, timeoutInterval: Double(timeout.components.seconds) + 1)
            guard let (data, _) = try? await URLSession.shared.data(for: request) else { return nil }
            return try? JSONDecoder().decode(Self.self, from: data)
        }
    }
}
#endif
