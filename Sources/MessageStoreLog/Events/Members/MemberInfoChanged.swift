/// A member's nickname or role changed; fields that are nil stay as they are.
public struct MemberInfoChanged: EventPayload {
    /// The member.
    public var member: UserID
    /// The name within this conversation; an empty string removes it.
    public var nickname: String?
    /// The number of the role on the server.
    public var role: UInt8?
    /// When this was changed, by the server's clock; nil means when it is recorded.
    ///
    /// The latest change holds, in whichever order they are recorded. Nickname and role are merged one by one. Of two with
    /// one time, the one that gives a nickname or a role other than 0 holds, then the later in the log.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ member: UserID, nickname: String? = nil, role: UInt8? = nil, at time: Timestamp? = nil) {
        self.member = member
        self.nickname = nickname
        self.role = role
        self.time = time
    }
}

extension MemberInfoChanged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .memberInfoChanged, "MemberInfoChanged", scope: .conversation,
        traits: [.shownBetweenMessages, .replacesEarlier, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MemberInfoChanged/member`` is.
        public static let member = Field<UserID>(3, "member")
        /// Where ``MemberInfoChanged/nickname`` is.
        public static let nickname = Field<String?>(4, "nickname")
        /// Where ``MemberInfoChanged/role`` is.
        public static let role = Field<UInt8?>(5, "role")
        /// Where ``MemberInfoChanged/time`` is.
        public static let time = Field<Timestamp?>(6, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.member),
            nickname: try fields.decode(Fields.nickname),
            role: try fields.decode(Fields.role),
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(member, for: Fields.member)
        try fields.encode(nickname, for: Fields.nickname)
        try fields.encode(role, for: Fields.role)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``MemberInfoChanged``.
    @inlinable public static var memberInfoChanged: EventType { EventType(rawValue: 0x42) }
}
