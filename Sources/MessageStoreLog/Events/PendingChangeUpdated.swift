/// The outcome of sending a change that was made on this device to the server.
///
/// It changes nothing else: the effect of a withdrawn change stays until another event undoes it.
public struct PendingChangeUpdated: AccountPayload {
    /// The position of the event that waits: one with ``Event/awaitsServer``, or a ``MessageModified`` or
    /// ``MessageRecalled`` of origin `local`.
    public var change: Position
    /// The outcome.
    public var status: PendingChangeStatus
    /// The transport's error code where the status is `failed`.
    public var code: Int32

    /// Creates the event.
    public init(_ change: Position, _ status: PendingChangeStatus, code: Int32 = 0) {
        self.change = change
        self.status = status
        self.code = code
    }
}

extension PendingChangeUpdated: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .pendingChangeUpdated, "PendingChangeUpdated", scope: .account, traits: .needsMessage)

    package static let change = FieldOf(3, "change", \Self.change)
    package static let status = FieldOf(4, "status", \Self.status)
    package static let code = FieldOf(5, "code", \Self.code)
    package static let fieldList = FieldList(Self.init, change, status, code)
}

extension EventType {
    /// The type of ``PendingChangeUpdated``.
    @inlinable public static var pendingChangeUpdated: EventType { EventType(rawValue: 0x66) }
}

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
