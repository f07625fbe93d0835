/// The stored fields of a conversation are out of date until a snapshot arrives.
public struct ConversationInvalidated: ConversationPayload {
    /// Creates the event.
    public init() {}
}

extension ConversationInvalidated: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationInvalidated, "ConversationInvalidated", scope: .conversation)

    package static let fieldList = FieldList { Self() }
}

extension EventType {
    /// The type of ``ConversationInvalidated``.
    @inlinable public static var conversationInvalidated: EventType { EventType(rawValue: 0x29) }
}
