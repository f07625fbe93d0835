/// The transport's place in the server's stream, kept for its next connection.
public struct SyncCursorAdvanced: AccountPayload {
    /// The stream's name.
    public var name: String
    /// The place, in the transport's own form.
    public var value: [UInt8]

    /// Creates the event.
    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

extension SyncCursorAdvanced: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.syncCursorAdvanced, "SyncCursorAdvanced", scope: .account)

    package static let name = FieldOf(3, "name", \Self.name, .identifier, .structure)
    package static let value = FieldOf(4, "value", \Self.value, .any, .structure)
    package static let fieldList = FieldList(Self.init, name, value)
}

extension EventType {
    /// The type of ``SyncCursorAdvanced``.
    @inlinable public static var syncCursorAdvanced: EventType { EventType(rawValue: 0x63) }
}
