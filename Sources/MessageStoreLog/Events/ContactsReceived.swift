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

/// Somebody in this account's list of contacts, as the server or the app keeps it.
public struct ContactInfo: ListElement, FieldGroup {
    /// The user.
    public var id: UserID
    /// The name that this account gave the user; nil or empty for none.
    public var remark: String?
    /// Free attributes as the server wrote them, byte for byte, such as a JSON object.
    public var attributes: [UInt8]?

    /// Creates the value.
    public init(id: UserID, remark: String? = nil, attributes: [UInt8]? = nil) {
        self.id = id
        self.remark = remark
        self.attributes = attributes
    }
}

extension ContactInfo: BuiltInFields {
    package static let id = FieldOf(1, "id", \Self.id)
    package static let remark = FieldOf(2, "remark", \Self.remark)
    package static let attributes = FieldOf(3, "attributes", \Self.attributes)
    package static let fieldList = FieldList(Self.init, id, remark, attributes)
}
