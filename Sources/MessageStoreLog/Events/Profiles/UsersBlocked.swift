/// This account blocked users, or unblocked them, whether they are contacts or not.
///
/// It is a list that the app can show and act on: messages of blocked users are recorded and counted as those of others.
public struct UsersBlocked: EventPayload {
    /// The users.
    public var ids: [UserID]
    /// Whether they are blocked.
    public var isBlocked: Bool
    /// When, by the server's clock. An event that is older than one that told of the same user changes nothing; where it is
    /// nil, the event holds against all that were recorded before.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ ids: [UserID], _ isBlocked: Bool = true, at time: Timestamp? = nil) {
        self.ids = ids
        self.isBlocked = isBlocked
        self.time = time
    }
}

extension UsersBlocked {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.usersBlocked, "UsersBlocked", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``UsersBlocked/time`` is.
        public static let time = EnvelopeField(.optionalServerTime, "time")
        /// Where ``UsersBlocked/ids`` is.
        public static let ids = Field<[UserID]>(3, "ids", .nonEmpty)
        /// Where ``UsersBlocked/isBlocked`` is.
        public static let isBlocked = Field<Bool>(4, "isBlocked")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.ids), try fields.decode(Fields.isBlocked), at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(ids, for: Fields.ids)
        try fields.encode(isBlocked, for: Fields.isBlocked)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``UsersBlocked``.
    @inlinable public static var usersBlocked: EventType { EventType(rawValue: 0x57) }
}
