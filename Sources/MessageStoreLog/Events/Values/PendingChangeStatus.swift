/// How far the server has been told of a change that was made on this device.
public struct PendingChangeStatus: NamedCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The server is to be told, for the first time or again.
    public static let waiting = PendingChangeStatus(rawValue: 0)
    /// Telling the server failed; it can be tried again.
    public static let failed = PendingChangeStatus(rawValue: 1)
    /// The server accepted the change, which ends the waiting.
    public static let confirmed = PendingChangeStatus(rawValue: 2)
    /// The server will not be told, which ends the waiting: it refused the change, or a later one makes it needless.
    public static let withdrawn = PendingChangeStatus(rawValue: 3)

    /// The names of the values that this version knows.
    public static let names: [PendingChangeStatus: String] = [
        .waiting: "waiting", .failed: "failed", .confirmed: "confirmed", .withdrawn: "withdrawn",
    ]
}
