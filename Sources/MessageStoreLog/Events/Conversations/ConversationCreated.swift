/// A conversation was created; its first members count as invited by the creator.
public struct ConversationCreated: ConversationPayload {
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

extension ConversationCreated: BuiltInPayload {
    package static let declared = EventDeclaration(
        .conversationCreated, "ConversationCreated", scope: .conversation,
        traits: [.shownBetweenMessages, .replacesEarlier])

    package static let members = Field<[UserID]?>(7, "members")

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(try ConversationFields(from: &fields), members: try fields.decode(Self.members) ?? [])
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try self.fields.encode(to: &fields)
        try fields.encode(members, for: Self.members)
        // The creator acted.
        fields.complete { $0.actor = self.fields.creator }
    }

    /// Refuses kinds that an event cannot set, because the key decides them.
    package func check() throws {
        if let problem = fields.kindProblem { throw invalid(problem) }
    }
}

extension EventType {
    /// The type of ``ConversationCreated``.
    @inlinable public static var conversationCreated: EventType { EventType(rawValue: 0x20) }
}
