/// Some fields of a conversation changed; fields that are nil stay as they are.
public struct ConversationUpdated: ConversationPayload {
    /// The changed fields.
    public var fields: ConversationFields
    /// Who changed them.
    public var actor: UserID?

    /// Creates the event.
    public init(_ fields: ConversationFields, by actor: UserID? = nil) {
        self.fields = fields
        self.actor = actor
    }
}

extension ConversationUpdated: BuiltInPayload {
    package static let declared = EventDeclaration(
        .conversationUpdated, "ConversationUpdated", scope: .conversation,
        traits: [.shownBetweenMessages, .replacesEarlier])

    package static let actor = SlotField(OptionalActorSlot(), "actor")

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(try ConversationFields(from: &fields), by: try fields.decode(Self.actor))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try self.fields.encode(to: &fields)
        try fields.encode(actor, for: Self.actor)
    }

    /// Refuses kinds that an event cannot set, because the key decides them.
    package func check() throws {
        if let problem = fields.kindProblem { throw invalid(problem) }
    }
}

extension EventType {
    /// The type of ``ConversationUpdated``.
    @inlinable public static var conversationUpdated: EventType { EventType(rawValue: 0x21) }
}
