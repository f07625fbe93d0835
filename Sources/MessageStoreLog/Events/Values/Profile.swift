/// What an app knows of a user.
public struct Profile: ListElement {
    /// The id on the wire, by which profiles are kept.
    public var id: UserID
    /// The id in the app's own user system, where it differs.
    public var userID: String?
    /// The name to show.
    public var name: String?
    /// The picture.
    public var avatarURL: String?
    /// A small form of the picture, for lists.
    public var thumbnailURL: String?
    /// Free attributes as the app's server wrote them, byte for byte, such as a JSON object.
    public var attributes: [UInt8]?

    /// Creates a profile.
    public init(
        id: UserID, userID: String? = nil, name: String? = nil, avatarURL: String? = nil, thumbnailURL: String? = nil,
        attributes: [UInt8]? = nil
    ) {
        self.id = id
        self.userID = userID
        self.name = name
        self.avatarURL = avatarURL
        self.thumbnailURL = thumbnailURL
        self.attributes = attributes
    }
}

extension Profile {
    /// The numbers of a profile's parts, in events and in rows.
    package enum Parts {
        package static let id: UInt32 = 1
        package static let userID: UInt32 = 2
        package static let name: UInt32 = 3
        package static let avatarURL: UInt32 = 4
        package static let thumbnailURL: UInt32 = 5
        package static let attributes: UInt32 = 6
    }

    /// A list of groups.
    public static var _listType: FieldType { FieldType(.group, isList: true) }
    /// Writes one group for each profile.
    public static func _write(_ list: [Profile], _ number: UInt32, to writer: inout FieldWriter) throws {
        for profile in list {
            try writer.group(number) { group in
                try profile.id._write(Parts.id, to: &group)
                try profile.userID._write(Parts.userID, to: &group)
                try profile.name._write(Parts.name, to: &group)
                try profile.avatarURL._write(Parts.avatarURL, to: &group)
                try profile.thumbnailURL._write(Parts.thumbnailURL, to: &group)
                try profile.attributes._write(Parts.attributes, to: &group)
            }
        }
    }
    /// Reads every profile of the number.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [Profile]? {
        try source.groups(number) { group in
            guard let id = try UserID._read(Parts.id, from: group) else { throw FieldError.unreadable }
            return Profile(
                id: id, userID: try String._read(Parts.userID, from: group),
                name: try String._read(Parts.name, from: group),
                avatarURL: try String._read(Parts.avatarURL, from: group),
                thumbnailURL: try String._read(Parts.thumbnailURL, from: group),
                attributes: try [UInt8]._read(Parts.attributes, from: group))
        }
    }
    /// The ids and names.
    public static func _text(_ list: [Profile]) -> String {
        list.map {
            text(
                $0.id, $0.name,
                [
                    "userID": $0.userID, "avatarURL": $0.avatarURL, "thumbnailURL": $0.thumbnailURL,
                    "attributes": $0.attributes._text,
                ])
        }.joined(separator: ", ")
    }
    /// The first problem of an id.
    public static func _problem(_ list: [Profile], _ rule: FieldRule) -> String? {
        UserID._problem(list.map(\.id), .any)
    }
}

extension Profile: Codable {
    private enum CodingKeys: CodingKey { case id, userID, name, avatarURL, thumbnailURL, attributes }

    /// Reads the value; bytes are base64.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(UserID.self, forKey: .id),
            userID: try values.decodeIfPresent(String.self, forKey: .userID),
            name: try values.decodeIfPresent(String.self, forKey: .name),
            avatarURL: try values.decodeIfPresent(String.self, forKey: .avatarURL),
            thumbnailURL: try values.decodeIfPresent(String.self, forKey: .thumbnailURL),
            attributes: try values.decodeIfPresent(Base64.self, forKey: .attributes)?.bytes)
    }

    /// Writes the value; bytes are base64.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encodeIfPresent(userID, forKey: .userID)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encodeIfPresent(avatarURL, forKey: .avatarURL)
        try values.encodeIfPresent(thumbnailURL, forKey: .thumbnailURL)
        try values.encodeIfPresent(attributes.map { Base64($0) }, forKey: .attributes)
    }
}
