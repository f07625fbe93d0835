/// A member's nickname or role changed; fields that are nil stay as they are.
public struct MemberInfoChanged: ConversationPayload {
    /// The member.
    public var member: UserID
    /// The name within this conversation; an empty string removes it.
    public var nickname: String?
    /// The number of the role on the server.
    public var role: UInt8?
    /// When this was changed, by the server's clock; nil means when it is recorded.
    ///
    /// The latest change holds, in whichever order they are recorded. Nickname and role are merged one by one. Of two
    /// with one time, the one that gives a nickname or a role other than 0 holds, then the later in the log.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ member: UserID, nickname: String? = nil, role: UInt8? = nil, at time: Timestamp? = nil) {
        self.member = member
        self.nickname = nickname
        self.role = role
        self.time = time
    }
}

extension MemberInfoChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .memberInfoChanged, "MemberInfoChanged", scope: .conversation,
        traits: [.shownBetweenMessages, .replacesEarlier, .mergedByTime])

    package static let member = FieldOf(3, "member", \Self.member)
    package static let nickname = FieldOf(4, "nickname", \Self.nickname)
    package static let role = FieldOf(5, "role", \Self.role)
    package static let time = FieldOf(6, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, member, nickname, role, time)
}

extension EventType {
    /// The type of ``MemberInfoChanged``.
    @inlinable public static var memberInfoChanged: EventType { EventType(rawValue: 0x42) }
}
