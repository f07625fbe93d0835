/// What an app knows of a team: a group with a profile of its own.
public struct TeamInfo: ListElement, Codable {
    /// The conversation of the team.
    public var id: ConversationKey
    /// The name to show.
    public var name: String?
    /// The picture.
    public var avatarURL: String?
    /// The server's number of the team's kind, such as normal or advanced.
    public var kind: UInt8?

    /// Creates the value.
    public init(id: ConversationKey, name: String? = nil, avatarURL: String? = nil, kind: UInt8? = nil) {
        self.id = id
        self.name = name
        self.avatarURL = avatarURL
        self.kind = kind
    }
}

extension TeamInfo {
    /// The numbers of a team's parts, in events and in rows.
    package enum Parts {
        package static let id: UInt32 = 1
        package static let name: UInt32 = 2
        package static let avatarURL: UInt32 = 3
        package static let kind: UInt32 = 4
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
                kind: try UInt8._read(Parts.kind, from: group))
        }
    }
    /// The first problem of a conversation.
    public static func _problem(_ list: [TeamInfo], _ rule: FieldRule) -> String? {
        ConversationKey._problem(list.map(\.id), .any)
    }
}
