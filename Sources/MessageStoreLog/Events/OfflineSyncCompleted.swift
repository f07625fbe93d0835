/// Everything that arrived while offline has been received. Recorded after every connect, even with nothing to receive.
public struct OfflineSyncCompleted: AccountPayload {
    /// Creates the event.
    public init() {}
}

extension OfflineSyncCompleted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.offlineSyncCompleted, "OfflineSyncCompleted", scope: .account)

    package static let fieldList = FieldList { Self() }
}

extension EventType {
    /// The type of ``OfflineSyncCompleted``.
    @inlinable public static var offlineSyncCompleted: EventType { EventType(rawValue: 0x62) }
}
