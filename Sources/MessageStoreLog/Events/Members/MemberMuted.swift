/// A member was muted, or unmuted.
public struct MemberMuted: EventPayload {
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

extension MemberMuted {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .memberMuted, "MemberMuted", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MemberMuted/member`` is.
        public static let member = Field<UserID>(3, "member")
        /// Where ``MemberMuted/until`` is.
        public static let until = Field<Timestamp?>(4, "until")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.member), until: try fields.decode(Fields.until))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(member, for: Fields.member)
        try fields.encode(until, for: Fields.until)
    }
}

extension EventType {
    /// The type of ``MemberMuted``.
    @inlinable public static var memberMuted: EventType { EventType(rawValue: 0x45) }
}
