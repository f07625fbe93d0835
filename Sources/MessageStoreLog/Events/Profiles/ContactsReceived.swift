/// The server, or the app, reported who is in this account's list of contacts.
///
/// Each contact replaces what was known of the user as a contact; blocks are apart, see ``UsersBlocked``.
public struct ContactsReceived: AccountPayload {
    /// The contacts, at least one unless ``replacesAll`` is set.
    public var contacts: [ContactInfo]
    /// Whether these are all: who is not among them is no contact any more.
    public var replacesAll: Bool

    /// Creates the event.
    public init(_ contacts: [ContactInfo], replacesAll: Bool = false) {
        self.contacts = contacts
        self.replacesAll = replacesAll
    }
}

extension ContactsReceived: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.contactsReceived, "ContactsReceived", scope: .account)

    package static let contacts = FieldOf(3, "contacts", \Self.contacts)
    package static let replacesAll = FieldOf(4, "replacesAll", \Self.replacesAll)
    package static let fieldList = FieldList(Self.init, contacts, replacesAll)

    /// Refuses an event that reports nothing.
    package func check() throws {
        guard replacesAll || !contacts.isEmpty else { throw invalid("names no contact") }
    }
}

extension EventType {
    /// The type of ``ContactsReceived``.
    @inlinable public static var contactsReceived: EventType { EventType(rawValue: 0x55) }
}
