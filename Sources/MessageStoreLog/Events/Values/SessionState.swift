/// The state of this account's session with its server.
public struct SessionState: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Not connected, and not trying to connect.
    public static let closed = SessionState(rawValue: 0)
    /// Connecting.
    public static let connecting = SessionState(rawValue: 1)
    /// Connected: a new session began.
    public static let connected = SessionState(rawValue: 2)
    /// The connection broke.
    public static let disconnected = SessionState(rawValue: 3)
    /// The system paused the connection.
    public static let suspended = SessionState(rawValue: 4)
    /// Another device of the account took over.
    public static let kicked = SessionState(rawValue: 5)

    /// The process that was connected ended or was suspended before the end of the session was recorded. The store
    /// records it before the first events that it records after it was opened or resumed.
    public static let interrupted = SessionState(rawValue: 6)

    package static let known: [SessionState: String] = [
        .closed: "closed", .connecting: "connecting", .connected: "connected", .disconnected: "disconnected",
        .suspended: "suspended", .kicked: "kicked", .interrupted: "interrupted",
    ]
}
