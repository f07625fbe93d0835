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
