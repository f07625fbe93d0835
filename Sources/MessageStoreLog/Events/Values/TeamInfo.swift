/// What an app knows of a team: a group with a profile of its own.
public struct TeamInfo: ListElement {
    /// The conversation of the team.
    public var id: ConversationKey
    /// The name to show.
    public var name: String?
    /// The picture.
    public var avatarURL: String?
    /// The server's number of the team's kind, such as normal or advanced.
    public var kind: UInt8?
    /// A small form of the picture, for lists.
    public var thumbnailURL: String?
    /// Free attributes as the server wrote them, byte for byte, such as a JSON object.
    public var attributes: [UInt8]?

    /// Creates the value.
    public init(
        id: ConversationKey, name: String? = nil, avatarURL: String? = nil, kind: UInt8? = nil,
        thumbnailURL: String? = nil, attributes: [UInt8]? = nil
    ) {
        self.id = id
        self.name = name
        self.avatarURL = avatarURL
        self.kind = kind
        self.thumbnailURL = thumbnailURL
        self.attributes = attributes
    }
}

extension TeamInfo {
    /// The numbers of a team's parts, in events and in rows.
    package enum Parts {
        package static let id: UInt32 = 1
        package static let name: UInt32 = 2
        package static let avatarURL: UInt32 = 3
        package static let kind: UInt32 = 4
        package static let thumbnailURL: UInt32 = 5
        package static let attributes: UInt32 = 6
    }

    /// A list of groups.
    public static var _listType: FieldType { FieldType(.group, isList: true) }
    /// Writes one group for each team.
    public static func _write(_ list: [TeamInfo], _ number: UInt32, to writer: inout FieldWriter) throws {
        for team in list {
            try writer.group(number) { group in
                try team.id._write(Parts.id, to: &group)
                try team.name._write(Parts.name, to: &group)
                try team.avatarURL._write(Parts.avatarURL, to: &group)
                try team.kind._write(Parts.kind, to: &group)
                try team.thumbnailURL._write(Parts.thumbnailURL, to: &group)
                try team.attributes._write(Parts.attributes, to: &group)
            }
        }
    }
    /// Reads every team of the number.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [TeamInfo]? {
        try source.groups(number) { group in
            guard let id = try ConversationKey._read(Parts.id, from: group) else { throw FieldError.unreadable }
            return TeamInfo(
                id: id, name: try String._read(Parts.name, from: group),
                avatarURL: try String._read(Parts.avatarURL, from: group),
                kind: try UInt8._read(Parts.kind, from: group),
                thumbnailURL: try String._read(Parts.thumbnailURL, from: group),
                attributes: try [UInt8]._read(Parts.attributes, from: group))
        }
    }
    /// The ids and names.
    public static func _text(_ list: [TeamInfo]) -> String {
        list.map {
            text(
                $0.id, $0.name,
                [
                    "avatarURL": $0.avatarURL, "kind": $0.kind._text, "thumbnailURL": $0.thumbnailURL,
                    "attributes": $0.attributes._text,
                ])
        }.joined(separator: ", ")
    }
    /// The first problem of a conversation.
    public static func _problem(_ list: [TeamInfo], _ rule: FieldRule) -> String? {
        ConversationKey._problem(list.map(\.id), .any)
    }
}

extension TeamInfo: Codable {
    private enum CodingKeys: CodingKey { case id, name, avatarURL, kind, thumbnailURL, attributes }

    /// Reads the value; bytes are base64.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(ConversationKey.self, forKey: .id),
            name: try values.decodeIfPresent(String.self, forKey: .name),
            avatarURL: try values.decodeIfPresent(String.self, forKey: .avatarURL),
            kind: try values.decodeIfPresent(UInt8.self, forKey: .kind),
            thumbnailURL: try values.decodeIfPresent(String.self, forKey: .thumbnailURL),
            attributes: try values.decodeIfPresent(Base64.self, forKey: .attributes)?.bytes)
    }

    /// Writes the value; bytes are base64.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encodeIfPresent(avatarURL, forKey: .avatarURL)
        try values.encodeIfPresent(kind, forKey: .kind)
        try values.encodeIfPresent(thumbnailURL, forKey: .thumbnailURL)
        try values.encodeIfPresent(attributes.map { Base64($0) }, forKey: .attributes)
    }
}
