/// Who reacted to a message in one way, as a server tells it at one moment.
public struct ReactionSummary: ListElement, Codable {
    /// The reaction, such as an emoji; 1 to 128 UTF-8 bytes.
    public var key: String
    /// Who gave it, as far as the server names them.
    public var users: [UserID]
    /// How many gave it; nil where the server names all of them.
    public var count: UInt32?

    /// Creates the value.
    public init(key: String, users: [UserID] = [], count: UInt32? = nil) {
        self.key = key
        self.users = users
        self.count = count
    }
}

extension ReactionSummary {
    /// The numbers of a reaction's parts.
    package enum Parts {
        package static let key: UInt32 = 1
        package static let users: UInt32 = 2
        package static let count: UInt32 = 3
    }

    /// A list of groups.
    public static var _listType: FieldType { FieldType(.group, isList: true) }
    /// Writes one group for each reaction.
    public static func _write(_ list: [ReactionSummary], _ number: UInt32, to writer: inout FieldWriter) throws {
        for reaction in list {
            try writer.group(number) { group in
                try reaction.key._write(Parts.key, to: &group)
                try UserID._write(reaction.users, Parts.users, to: &group)
                try reaction.count._write(Parts.count, to: &group)
            }
        }
    }
    /// Reads every reaction of the number.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [ReactionSummary]? {
        try source.groups(number) { group in
            guard let key = try String._read(Parts.key, from: group) else { throw FieldError.unreadable }
            return ReactionSummary(
                key: key, users: try UserID._readList(Parts.users, from: group) ?? [],
                count: try UInt32._read(Parts.count, from: group))
        }
    }
    /// The first problem of a key or a user.
    public static func _problem(_ list: [ReactionSummary], _ rule: FieldRule) -> String? {
        String._problem(list.map(\.key), .key) ?? UserID._problem(list.flatMap(\.users), .any)
    }
}
