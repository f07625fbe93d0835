/// The connection to the server changed.
///
/// After `connected`, as after ``OfflineSyncStarted``, the store assumes that messages follow the ones of the session
/// before only if an offline sync completes or delivers them; else there may be a gap between. Messages that arrive
/// live in one session have no gap between them; if neither sessions nor syncs were ever recorded, they prove nothing.
/// Every state but `connected` and `connecting` ends the session: a message that arrives live then may follow a gap. So
/// does the end of the process, which the store records itself, see ``SessionState/interrupted``.
public struct SessionStateChanged: AccountPayload {
    /// The state from now on.
    public var state: SessionState
    /// The transport's code; 0 for none.
    public var code: Int32
    /// The transport's description, if any.
    public var text: String?

    /// Creates the event.
    public init(_ state: SessionState, code: Int32 = 0, text: String? = nil) {
        self.state = state
        self.code = code
        self.text = text
    }
}

extension SessionStateChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .sessionStateChanged, "SessionStateChanged", scope: .account, traits: .readByPosition)

    package static let state = FieldOf(3, "state", \Self.state)
    package static let code = FieldOf(4, "code", \Self.code)
    package static let text = FieldOf(5, "text", \Self.text)
    package static let fieldList = FieldList(Self.init, state, code, text)
}

extension EventType {
    /// The type of ``SessionStateChanged``.
    @inlinable public static var sessionStateChanged: EventType { EventType(rawValue: 0x64) }
}

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
