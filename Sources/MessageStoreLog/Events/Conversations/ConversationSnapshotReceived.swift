/// The server's full account of a conversation, which wins over all earlier hints.
public struct ConversationSnapshotReceived: ConversationPayload {
    /// All fields; nil means that the conversation has none, and for the kind that it is the key's.
    public var fields: ConversationFields
    /// The complete member list, or nil if the service has none.
    public var members: [UserID]?

    /// Creates the event.
    public init(_ fields: ConversationFields, members: [UserID]? = nil) {
        self.fields = fields
        self.members = members
    }
}

extension ConversationSnapshotReceived: BuiltInPayload {
    package static let declared = EventDeclaration(
        .conversationSnapshotReceived, "ConversationSnapshotReceived", scope: .conversation, traits: .replacesEarlier)

    package static let members = Field<[UserID]?>(7, "members")

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(try ConversationFields(from: &fields), members: try fields.decode(Self.members))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try self.fields.encode(to: &fields)
        try fields.encode(members, for: Self.members)
    }

    /// Refuses kinds that an event cannot set, because the key decides them.
    package func check() throws {
        if let problem = fields.kindProblem { throw invalid(problem) }
    }
}

extension EventType {
    /// The type of ``ConversationSnapshotReceived``.
    @inlinable public static var conversationSnapshotReceived: EventType { EventType(rawValue: 0x22) }
}
