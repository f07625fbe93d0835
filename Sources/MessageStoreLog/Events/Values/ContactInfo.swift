/// Somebody in this account's list of contacts, as the server or the app keeps it.
public struct ContactInfo: ListElement {
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

extension ContactInfo {
    /// The numbers of a contact's parts, in events and in rows.
    package enum Parts {
        package static let id: UInt32 = 1
        package static let remark: UInt32 = 2
        package static let attributes: UInt32 = 3
    }

    /// A list of groups.
    public static var _listType: FieldType { FieldType(.group, isList: true) }
    /// Writes one group for each contact.
    public static func _write(_ list: [ContactInfo], _ number: UInt32, to writer: inout FieldWriter) throws {
        for contact in list {
            try writer.group(number) { group in
                try contact.id._write(Parts.id, to: &group)
                try contact.remark._write(Parts.remark, to: &group)
                try contact.attributes._write(Parts.attributes, to: &group)
            }
        }
    }
    /// Reads every contact of the number.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [ContactInfo]? {
        try source.groups(number) { group in
            guard let id = try UserID._read(Parts.id, from: group) else { throw FieldError.unreadable }
            return ContactInfo(
                id: id, remark: try String._read(Parts.remark, from: group),
                attributes: try [UInt8]._read(Parts.attributes, from: group))
        }
    }
    /// The ids and names.
    public static func _text(_ list: [ContactInfo]) -> String {
        list.map { text($0.id, $0.remark, ["attributes": $0.attributes._text]) }.joined(separator: ", ")
    }
    /// The first problem of an id.
    public static func _problem(_ list: [ContactInfo], _ rule: FieldRule) -> String? {
        UserID._problem(list.map(\.id), .any)
    }
}

extension ContactInfo: Codable {
    private enum CodingKeys: CodingKey { case id, remark, attributes }

    /// Reads the value; bytes are base64.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(UserID.self, forKey: .id),
            remark: try values.decodeIfPresent(String.self, forKey: .remark),
            attributes: try values.decodeIfPresent(Base64.self, forKey: .attributes)?.bytes)
    }

    /// Writes the value; bytes are base64.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encodeIfPresent(remark, forKey: .remark)
        try values.encodeIfPresent(attributes.map { Base64($0) }, forKey: .attributes)
    }
}
