/// The server's full account of a conversation, which wins over all earlier hints.
public struct ConversationSnapshotReceived: EventPayload {
    /// All fields; nil means that the conversation has none, and for the kind that it is the key's.
    public var fields: ConversationFields
    /// The complete member list, or nil where the service has none.
    public var members: [UserID]?

    /// Creates the event.
    public init(_ fields: ConversationFields, members: [UserID]? = nil) {
        self.fields = fields
        self.members = members
    }
}

extension ConversationSnapshotReceived: BuiltInFields {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationSnapshotReceived, "ConversationSnapshotReceived", scope: .conversation, traits: .replacesEarlier)

    package static let members = FieldOf(7, "members", \Self.members)
    package static let fieldList = FieldList(Self.init, GroupOf(\Self.fields), members)

    /// Refuses kinds that are not told but decided by the key.
    public func validate() throws {
        if let problem = fields.kindProblem { throw invalid(problem) }
    }
}

extension EventType {
    /// The type of ``ConversationSnapshotReceived``.
    @inlinable public static var conversationSnapshotReceived: EventType { EventType(rawValue: 0x22) }
}
