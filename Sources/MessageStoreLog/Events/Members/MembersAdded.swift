/// Members joined a conversation; recording it twice changes nothing.
public struct MembersAdded: EventPayload {
    /// Who joined.
    public var members: [UserID]
    /// How they joined.
    public var kind: JoinKind
    /// Who did it; nil for themselves.
    public var actor: UserID?

    /// Creates the event.
    public init(_ members: [UserID], kind: JoinKind, by actor: UserID? = nil) {
        self.members = members
        self.kind = kind
        self.actor = actor
    }
}

extension MembersAdded {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .membersAdded, "MembersAdded", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MembersAdded/actor`` is.
        public static let actor = EnvelopeField(.optionalActor, "actor")
        /// Where ``MembersAdded/members`` is.
        public static let members = Field<[UserID]>(3, "members", .nonEmpty)
        /// Where ``MembersAdded/kind`` is.
        public static let kind = Field<JoinKind>(4, "kind")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.members),
            kind: try fields.decode(Fields.kind),
            by: try fields.decode(Fields.actor))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(members, for: Fields.members)
        try fields.encode(kind, for: Fields.kind)
        try fields.encode(actor, for: Fields.actor)
    }
}

extension EventType {
    /// The type of ``MembersAdded``.
    @inlinable public static var membersAdded: EventType { EventType(rawValue: 0x40) }
}
