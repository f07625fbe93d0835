/// How members left.
public struct LeaveKind: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Somebody removed them.
    public static let kicked = LeaveKind(rawValue: 0)
    /// They left by themselves.
    public static let left = LeaveKind(rawValue: 1)

    package static let known: [LeaveKind: String] = [
        .kicked: "kicked", .left: "left",
    ]
}
