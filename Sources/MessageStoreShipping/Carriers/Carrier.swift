/// A place that keeps shipped objects: bytes under names, and a put that replaces nothing.
///
/// Names are ASCII letters, digits, `-` and `/`, at most 200 of them; no part between slashes is empty. Calls of one
/// carrier may overlap. Every call may be repeated: a put whose answer was lost finds its own object.
public protocol Carrier: Sendable {
    /// Bytes that an object should have at most. One may have more if a single event does, up to 17 MB.
    var objectSize: Int { get }

    /// The name of the place in messages to people; it holds no secret.
    var description: String { get }

    /// Puts an object if no object has the name, and waits until it is durable.
    ///
    /// Of several that put under one name, exactly one succeeds.
    ///
    /// - Returns: Whether the object was put; false if one has the name, which stays as it is.
    /// - Throws: `StoreError`: `carrierFailed`, after which the object may be there; `carrierRefused`.
    func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool

    /// The bytes of an object, which are never half of it; nil if it does not exist.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`.
    func get(_ name: String) async throws -> [UInt8]?

    /// The names of objects that begin with a prefix and follow a name, ascending by their bytes: at most
    /// ``CarrierLimits/page`` of them, and none only at the end.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`.
    func list(_ prefix: String, after name: String?) async throws -> [String]

    /// Puts an object in the place of the one that has the name, if there is one, and waits until it is durable. The
    /// replaced object cannot be read any more.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, after which either object may be there; `carrierRefused`.
    func replace(_ name: String, with bytes: [UInt8]) async throws

    /// Removes an object, if there is one; its bytes cannot be read any more.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`.
    func remove(_ name: String) async throws
}

/// Numbers that all carriers share.
public enum CarrierLimits {
    /// A list has at most so many names.
    public static let page = 1000
    /// An object has at most so many bytes: 64 MB.
    public static let object = 64 << 20
    /// A name has at most so many bytes.
    public static let name = 200
}

extension Carrier {
    /// All names of shipped objects that begin with a prefix, ascending; other files of a folder are left out.
    func objects(_ prefix: String, after name: String? = nil) async throws -> [String] {
        var (names, last): ([String], String?) = ([], name)
        while true {
            let next = try await list(prefix, after: last)
            if next.isEmpty { return names }
            last = next.last
            names += next.filter(ObjectName.isOwn)
        }
    }
}

extension String {
    /// Throws unless it can name an object.
    package func checkObjectName() throws(StoreError) {
        let isValid =
            !isEmpty && utf8.count <= CarrierLimits.name
            && split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
            && utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") }
        guard isValid else { throw StoreError(.invalidArgument, "the name of an object is not valid") }
    }
}
