/// Why two messages with different server ids are treated as one.
public struct DuplicateRule: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The same sender gave both the same token; the second was not recorded, and its id refers to the first.
    public static let clientToken = DuplicateRule(rawValue: 1)
    /// The same sender, type and content within a short time; the second is recorded and hidden.
    public static let content = DuplicateRule(rawValue: 2)

    package static let known: [DuplicateRule: String] = [
        .clientToken: "clientToken", .content: "content",
    ]
}
