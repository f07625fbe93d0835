/// A member was muted, or unmuted.
public struct MemberMuted: ConversationPayload {
    /// The member.
    public var member: UserID
    /// Until when, by the server's clock; nil lets the member write again, `Timestamp.latest` means permanently.
    public var until: Timestamp?

    /// Creates the event.
    public init(_ member: UserID, until: Timestamp?) {
        self.member = member
        self.until = until
    }
}

extension MemberMuted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .memberMuted, "MemberMuted", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    package static let member = FieldOf(3, "member", \Self.member)
    package static let until = FieldOf(4, "until", \Self.until)
    package static let fieldList = FieldList(Self.init, member, until)
}

extension EventType {
    /// The type of ``MemberMuted``.
    @inlinable public static var memberMuted: EventType { EventType(rawValue: 0x45) }
}
