/// A service's numbers of types, as keys of their own: 1 of `leancloud` is `leancloud/1`.
///
/// Services that name types by strings, such as "SP:TxtMsg", need none: their strings are keys as they are.
public struct TypeNamespace: Sendable, Hashable {
    /// What stands before the slash.
    public let name: String
    /// The lowest number that is free for a host's own types; those below are the service's.
    public let firstCustom: Int
    private let standardTypes: [Int: ContentType]

    /// Names the numbers of a service; pass it to ``ContentTypeRegistry/reserve(_:)`` to have its range guarded.
    ///
    /// - Parameters:
    ///   - name: What stands before the slash; without a slash itself.
    ///   - firstCustom: The lowest number that is free for a host's own types.
    ///   - standardTypes: Numbers of the service that mean a built-in type of this library.
    public init(_ name: String, firstCustom: Int, standardTypes: [Int: ContentType] = [:]) {
        self.name = name
        self.firstCustom = firstCustom
        self.standardTypes = standardTypes
    }

    /// The key for a number on the wire: the built-in type that it means, else its namespaced key.
    public func type(for number: Int) -> ContentType {
        standardTypes[number] ?? ContentType(number, in: self)
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
