/// The server, or the app, told who is in this account's list of contacts.
///
/// Each contact replaces what was known of the user as a contact; blocks are apart, see ``UsersBlocked``.
public struct ContactsReceived: EventPayload {
    /// The contacts.
    public var contacts: [ContactInfo]
    /// Whether these are all: who is not among them is no contact any more.
    public var replacesAll: Bool

    /// Creates the event.
    public init(_ contacts: [ContactInfo], replacesAll: Bool = false) {
        self.contacts = contacts
        self.replacesAll = replacesAll
    }
}

extension ContactsReceived {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.contactsReceived, "ContactsReceived", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ContactsReceived/contacts`` is.
        public static let contacts = Field<[ContactInfo]>(3, "contacts")
        /// Where ``ContactsReceived/replacesAll`` is.
        public static let replacesAll = Field<Bool>(4, "replacesAll")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.contacts), replacesAll: try fields.decode(Fields.replacesAll))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(contacts, for: Fields.contacts)
        try fields.encode(replacesAll, for: Fields.replacesAll)
    }

    /// Refuses an event that tells nothing.
    public func validate() throws {
        guard replacesAll || !contacts.isEmpty else { throw invalid("names no contact") }
    }
}

extension EventType {
    /// The type of ``ContactsReceived``.
    @inlinable public static var contactsReceived: EventType { EventType(rawValue: 0x55) }
}
