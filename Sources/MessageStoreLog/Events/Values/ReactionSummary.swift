/// Who reacted to a message in one way, as a server reports it at one moment.
public struct ReactionSummary: ListElement, FieldGroup {
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

extension ReactionSummary: BuiltInFields {
    package static let key = FieldOf(1, "key", \Self.key, .key)
    package static let users = FieldOf(2, "users", \Self.users)
    package static let count = FieldOf(3, "count", \Self.count)
    package static let fieldList = FieldList(Self.init, key, users, count)
}
