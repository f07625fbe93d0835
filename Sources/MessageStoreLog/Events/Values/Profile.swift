/// What an app knows of a user.
public struct Profile: ListElement, Codable {
    /// The id on the wire, by which profiles are kept.
    public var id: UserID
    /// The id in the app's own user system, where it differs.
    public var userID: String?
    /// The name to show.
    public var name: String?
    /// The picture.
    public var avatarURL: String?

    /// Creates a profile.
    public init(id: UserID, userID: String? = nil, name: String? = nil, avatarURL: String? = nil) {
        self.id = id
        self.userID = userID
        self.name = name
        self.avatarURL = avatarURL
    }
}

extension Profile {
    /// The numbers of a profile's parts, in events and in rows.
    package enum Parts {
        package static let id: UInt32 = 1
        package static let userID: UInt32 = 2
        package static let name: UInt32 = 3
        package static let avatarURL: UInt32 = 4
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
                avatarURL: try String._read(Parts.avatarURL, from: group))
        }
    }
    /// The first problem of an id.
    public static func _problem(_ list: [Profile], _ rule: FieldRule) -> String? {
        UserID._problem(list.map(\.id), .any)
    }
}
