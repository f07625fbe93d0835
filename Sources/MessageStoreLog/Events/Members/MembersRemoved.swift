/// Members left a conversation; recording it twice changes nothing.
public struct MembersRemoved: EventPayload {
    /// Who left.
    public var members: [UserID]
    /// How they left.
    public var kind: LeaveKind
    /// Who did it; nil for themselves.
    public var actor: UserID?
    /// The reason that was given, if any.
    public var reason: String?

    /// Creates the event.
    public init(_ members: [UserID], kind: LeaveKind, by actor: UserID? = nil, reason: String? = nil) {
        self.members = members
        self.kind = kind
        self.actor = actor
        self.reason = reason
    }
}

extension MembersRemoved {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .membersRemoved, "MembersRemoved", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MembersRemoved/actor`` is.
        public static let actor = EnvelopeField(.optionalActor, "actor")
        /// Where ``MembersRemoved/members`` is.
        public static let members = Field<[UserID]>(3, "members", .nonEmpty)
        /// Where ``MembersRemoved/kind`` is.
        public static let kind = Field<LeaveKind>(4, "kind")
        /// Where ``MembersRemoved/reason`` is.
        public static let reason = ContentField<String?>(1, "reason")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.members),
            kind: try fields.decode(Fields.kind),
            by: try fields.decode(Fields.actor),
            reason: try fields.decode(Fields.reason))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(members, for: Fields.members)
        try fields.encode(kind, for: Fields.kind)
        try fields.encode(actor, for: Fields.actor)
        try fields.encode(reason, for: Fields.reason)
    }
}

extension EventType {
    /// The type of ``MembersRemoved``.
    @inlinable public static var membersRemoved: EventType { EventType(rawValue: 0x41) }
}
