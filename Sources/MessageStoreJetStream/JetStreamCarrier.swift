#if JetStream
internal import Dispatch
internal import Synchronization

/// A stream of NATS JetStream as a carrier.
///
/// An object is a message that carries the object's name in a header; all objects whose names have the same first part
/// share a subject. A put names the last message of the subject that this carrier knows of, and the server takes it only
/// if there is no later one, so that of several rivals exactly one succeeds. Objects of more than
/// ``Configuration/objectSize`` bytes are split into several messages.
///
/// What a put promises depends on how the server writes to disk; see ``durability()``. Replaced and removed objects are
/// erased: the server writes their block once more without them, except where it encrypts its files, and except in the
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
    /// - Throws: `StoreError`: `invalidArgument` where the configuration is not valid.
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
    ///   - environment: Where ``Configuration/init(url:environment:)`` finds secrets and options.
    /// - Throws: `StoreError`: `invalidArgument` where either is not valid.
    public convenience init(url: String, environment: [String: String]) throws {
        try self.init(Configuration(url: url, environment: environment))
    }

    /// Puts an object if no object has the name, and waits until the server has stored it.
    ///
    /// - Returns: Whether the object was put; false where one has the name, which stays as it is.
    /// - Throws: `StoreError`: `carrierFailed`, after which the object may be there; `carrierRefused`, `diskFull`.
    public func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool {
        try name.checkObjectName()
        return try await run { try $0.put(bytes, name, replaces: false, until: $1) }
    }

    /// The bytes of an object; nil where it does not exist.
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
#endif
