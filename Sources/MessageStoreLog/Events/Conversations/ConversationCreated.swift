/// A conversation was created; its first members count as invited by the creator.
public struct ConversationCreated: EventPayload {
    /// The known fields.
    public var fields: ConversationFields
    /// Its first members.
    public var members: [UserID]

    /// Creates the event.
    public init(_ fields: ConversationFields = ConversationFields(), members: [UserID] = []) {
        self.fields = fields
        self.members = members
    }
}

extension ConversationCreated {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationCreated, "ConversationCreated", scope: .conversation,
        traits: [.shownBetweenMessages, .replacesEarlier])

    package static let members = Field<[UserID]?>(7, "members")

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try ConversationFields(from: &fields), members: try fields.decode(Self.members) ?? [])
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try self.fields.encode(to: &fields)
        try fields.encode(members, for: Self.members)
    }

    /// Notes that the creator acted.
    public func _complete(_ envelope: inout RecordEnvelope) { envelope.actor = fields.creator }

    /// Refuses kinds that an event cannot set, because the key decides them.
    public func validate() throws {
        if let problem = fields.kindProblem { throw invalid(problem) }
    }
}

extension EventType {
    /// The type of ``ConversationCreated``.
    @inlinable public static var conversationCreated: EventType { EventType(rawValue: 0x20) }
}
