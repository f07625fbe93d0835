/// Content types of a service that identifies them by numbers: 1 of `leancloud` is `leancloud/1`.
///
/// Services that name types by strings, such as "SP:TxtMsg", need none: their strings are keys as they are.
public struct TypeNamespace: Sendable, Hashable {
    /// The part before the slash.
    public let name: String
    /// The lowest number that is free for a host's own types; those below are the service's.
    public let firstCustom: Int
    /// The numbers of types whose messages the service refuses without a text.
    public let requiringText: Set<Int>
    private let standardTypes: [Int: ContentType]

    /// Creates a namespace; pass it to ``ContentTypeRegistry/reserve(_:)`` to reserve its range.
    ///
    /// - Parameters:
    ///   - name: The part before the slash; must not contain a slash.
    ///   - firstCustom: The lowest number that is free for a host's own types.
    ///   - standardTypes: The service's numbers for built-in types of this library.
    ///   - requiringText: The numbers of types whose messages the service refuses without a text. A store in whose
    ///     registry the namespace is reserved refuses to queue them.
    public init(
        _ name: String, firstCustom: Int, standardTypes: [Int: ContentType] = [:], requiringText: Set<Int> = []
    ) {
        self.name = name
        self.firstCustom = firstCustom
        self.standardTypes = standardTypes
        self.requiringText = requiringText
    }

    /// The key for a number on the wire: the built-in type that it means, else its namespaced key.
    public func type(for number: Int) -> ContentType {
        standardTypes[number] ?? ContentType(number, in: self)
    }

    /// Whether the service refuses messages of a type without a text.
    func requiresText(_ type: ContentType) -> Bool {
        requiringText.contains { self.type(for: $0) == type || ContentType($0, in: self) == type }
    }

    /// Whether a key is a number of the service's own range.
    func reserves(_ type: ContentType) -> Bool {
        let parts = type.rawValue.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.elementsEqual(name.utf8), let number = Int(parts[1]) else { return false }
        return number < firstCustom
    }
}

extension ContentType {
    /// The key of a service's number, such as `leancloud/-1`.
    public init(_ number: Int, in namespace: TypeNamespace) {
        self.init("\(namespace.name)/\(number)")
    }
}
