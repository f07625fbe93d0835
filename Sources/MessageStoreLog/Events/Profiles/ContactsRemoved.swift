/// Users are not in this account's list of contacts any more; their remarks are gone, blocks stay.
public struct ContactsRemoved: EventPayload {
    /// The users.
    public var ids: [UserID]

    /// Creates the event.
    public init(_ ids: [UserID]) {
        self.ids = ids
    }
}

extension ContactsRemoved {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.contactsRemoved, "ContactsRemoved", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ContactsRemoved/ids`` is.
        public static let ids = Field<[UserID]>(3, "ids", .nonEmpty)
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.ids))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(ids, for: Fields.ids)
    }
}

extension EventType {
    /// The type of ``ContactsRemoved``.
    @inlinable public static var contactsRemoved: EventType { EventType(rawValue: 0x56) }
}
