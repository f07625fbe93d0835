/// A user was blocked from joining a conversation, or unblocked.
public struct MemberBlocked: ConversationPayload {
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

extension MemberBlocked: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .memberBlocked, "MemberBlocked", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    package static let member = FieldOf(3, "member", \Self.member)
    package static let isBlocked = FieldOf(4, "isBlocked", \Self.isBlocked)
    package static let fieldList = FieldList(Self.init, member, isBlocked)
}

extension EventType {
    /// The type of ``MemberBlocked``.
    @inlinable public static var memberBlocked: EventType { EventType(rawValue: 0x46) }
}
