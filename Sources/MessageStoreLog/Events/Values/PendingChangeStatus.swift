/// How far the sending of a change that was made on this device to the server has got.
public struct PendingChangeStatus: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The change is to be sent to the server, for the first time or again.
    public static let waiting = PendingChangeStatus(rawValue: 0)
    /// Sending the change failed; it can be tried again.
    public static let failed = PendingChangeStatus(rawValue: 1)
    /// The server accepted the change, which ends the waiting.
    public static let confirmed = PendingChangeStatus(rawValue: 2)
    /// The change will not be sent, which ends the waiting: the server refused it, or a later change makes it needless.
    public static let withdrawn = PendingChangeStatus(rawValue: 3)

    package static let known: [PendingChangeStatus: String] = [
        .waiting: "waiting", .failed: "failed", .confirmed: "confirmed", .withdrawn: "withdrawn",
    ]
}
