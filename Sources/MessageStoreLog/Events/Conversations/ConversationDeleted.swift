/// A conversation was removed from the list; the next message brings it back.
public struct ConversationDeleted: EventPayload {
    /// Whether its messages are cleared as well.
    public var alsoMessages: Bool
    /// Whether the transport should delete it on the server as well.
    public var isRemote: Bool

    /// Creates the event.
    public init(alsoMessages: Bool = false, isRemote: Bool = false) {
        self.alsoMessages = alsoMessages
        self.isRemote = isRemote
    }
}

extension ConversationDeleted {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationDeleted, "ConversationDeleted", scope: .conversation, traits: [.changesTimeline, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationDeleted/alsoMessages`` is.
        public static let alsoMessages = Field<Bool>(3, "alsoMessages")
        /// Where ``ConversationDeleted/isRemote`` is.
        public static let isRemote = Field<Bool>(4, "isRemote")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            alsoMessages: try fields.decode(Fields.alsoMessages),
            isRemote: try fields.decode(Fields.isRemote))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(alsoMessages, for: Fields.alsoMessages)
        try fields.encode(isRemote, for: Fields.isRemote)
    }
}

extension EventType {
    /// The type of ``ConversationDeleted``.
    @inlinable public static var conversationDeleted: EventType { EventType(rawValue: 0x28) }
}
