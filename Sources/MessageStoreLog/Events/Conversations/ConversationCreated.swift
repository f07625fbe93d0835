/// A conversation was created; its first members count as invited by the creator.
public struct ConversationCreated: EventPayload {
    /// What is known of it.
    public var fields: ConversationFields
    /// Its first members.
    public var members: [UserID]

    /// Creates the event.
    public init(_ fields: ConversationFields = ConversationFields(), members: [UserID] = []) {
        self.fields = fields
        self.members = members
    }
}

extension ConversationCreated: BuiltInFields {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationCreated, "ConversationCreated", scope: .conversation,
        traits: [.shownBetweenMessages, .replacesEarlier])

    package static let members = FieldOf(7, "members") { (event: Self) in event.members as [UserID]? }
    package static let fieldList = FieldList({ Self($0, members: $1 ?? []) }, GroupOf(\Self.fields), members)

    /// Notes that the creator acted.
    public func _complete(_ envelope: inout RecordEnvelope) { envelope.actor = fields.creator }

    /// Refuses kinds that are not told but decided by the key.
    public func validate() throws {
        if let problem = fields.kindProblem { throw invalid(problem) }
    }
}

extension EventType {
    /// The type of ``ConversationCreated``.
    @inlinable public static var conversationCreated: EventType { EventType(rawValue: 0x20) }
}
