/// A session began to receive what arrived while this account was offline.
public struct OfflineSyncStarted: AccountPayload {
    /// The transport's name for the session, if any.
    public var session: String?

    /// Creates the event.
    public init(session: String? = nil) {
        self.session = session
    }
}

extension OfflineSyncStarted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.offlineSyncStarted, "OfflineSyncStarted", scope: .account)

    package static let session = FieldOf(3, "session", \Self.session, .any, .identifier)
    package static let fieldList = FieldList(Self.init, session)
}

extension EventType {
    /// The type of ``OfflineSyncStarted``.
    @inlinable public static var offlineSyncStarted: EventType { EventType(rawValue: 0x60) }
}
