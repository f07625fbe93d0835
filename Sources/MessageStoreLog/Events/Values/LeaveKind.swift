/// How members left.
public struct LeaveKind: NamedCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Somebody removed them.
    public static let kicked = LeaveKind(rawValue: 0)
    /// They left by themselves.
    public static let left = LeaveKind(rawValue: 1)

    /// The names of the values that this version knows.
    public static let names: [LeaveKind: String] = [
        .kicked: "kicked", .left: "left",
    ]
}
