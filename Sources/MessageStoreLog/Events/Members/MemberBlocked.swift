/// A user was blocked from joining a conversation, or unblocked.
public struct MemberBlocked: EventPayload {
    /// The user, who need not be a member.
    public var member: UserID
    /// Whether the user is blocked.
    public var isBlocked: Bool

    /// Creates the event.
    public init(_ member: UserID, _ isBlocked: Bool = true) {
        self.member = member
        self.isBlocked = isBlocked
    }
}

extension MemberBlocked {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .memberBlocked, "MemberBlocked", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MemberBlocked/member`` is.
        public static let member = Field<UserID>(3, "member")
        /// Where ``MemberBlocked/isBlocked`` is.
        public static let isBlocked = Field<Bool>(4, "isBlocked")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.member), try fields.decode(Fields.isBlocked))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(member, for: Fields.member)
        try fields.encode(isBlocked, for: Fields.isBlocked)
    }
}

extension EventType {
    /// The type of ``MemberBlocked``.
    @inlinable public static var memberBlocked: EventType { EventType(rawValue: 0x46) }
}
