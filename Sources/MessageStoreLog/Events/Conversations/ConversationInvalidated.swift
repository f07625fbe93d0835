/// What is known of a conversation is out of date until a snapshot arrives.
public struct ConversationInvalidated: EventPayload {
    /// Creates the event.
    public init() {}
}

extension ConversationInvalidated {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationInvalidated, "ConversationInvalidated", scope: .conversation)

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init()
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {}
}

extension EventType {
    /// The type of ``ConversationInvalidated``.
    @inlinable public static var conversationInvalidated: EventType { EventType(rawValue: 0x29) }
}
