/// How members joined.
public struct JoinKind: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Somebody invited them.
    public static let invited = JoinKind(rawValue: 0)
    /// They joined by themselves.
    public static let joined = JoinKind(rawValue: 1)

    package static let known: [JoinKind: String] = [
        .invited: "invited", .joined: "joined",
    ]
}
