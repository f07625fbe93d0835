/// Some fields of a conversation changed; fields that are nil stay as they are.
public struct ConversationUpdated: EventPayload {
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

extension ConversationUpdated: BuiltInFields {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationUpdated, "ConversationUpdated", scope: .conversation,
        traits: [.shownBetweenMessages, .replacesEarlier])

    package static let actor = EnvelopeFieldOf(.optionalActor, "actor", \Self.actor)
    package static let fieldList = FieldList(Self.init, GroupOf(\Self.fields), actor)

    /// Refuses kinds that are not told but decided by the key.
    public func validate() throws {
        if let problem = fields.kindProblem { throw invalid(problem) }
    }
}

extension EventType {
    /// The type of ``ConversationUpdated``.
    @inlinable public static var conversationUpdated: EventType { EventType(rawValue: 0x21) }
}
