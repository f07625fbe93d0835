/// Notifications of a conversation were muted, or let through again.
public struct ConversationMuted: EventPayload {
    /// Whether it is muted.
    public var isMuted: Bool

    /// Creates the event.
    public init(_ isMuted: Bool = true) {
        self.isMuted = isMuted
    }
}

extension ConversationMuted {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.conversationMuted, "ConversationMuted", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationMuted/isMuted`` is.
        public static let isMuted = Field<Bool>(3, "isMuted")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.isMuted))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isMuted, for: Fields.isMuted)
    }
}

extension EventType {
    /// The type of ``ConversationMuted``.
    @inlinable public static var conversationMuted: EventType { EventType(rawValue: 0x26) }
}
