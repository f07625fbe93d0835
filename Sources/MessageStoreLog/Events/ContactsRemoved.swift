/// Users are not in this account's list of contacts any more; their remarks are gone, blocks stay.
public struct ContactsRemoved: AccountPayload {
    /// The users.
    public var ids: [UserID]

    /// Creates the event.
    public init(_ ids: [UserID]) {
        self.ids = ids
    }
}

extension ContactsRemoved: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.contactsRemoved, "ContactsRemoved", scope: .account)

    package static let ids = FieldOf(3, "ids", \Self.ids, .nonEmpty)
    package static let fieldList = FieldList(Self.init, ids)
}

extension EventType {
    /// The type of ``ContactsRemoved``.
    @inlinable public static var contactsRemoved: EventType { EventType(rawValue: 0x56) }
}
