/// The name of a projection, unique within a store.
///
/// The library's ids are constants of this type; a host's is a reverse-DNS name, such as `com.example.starred`.
public struct ProjectionID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The name.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Wraps a name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The value as it is shown to people.
    public var description: String { rawValue }
}
