/// A conversation was pinned to the top of the list, or released.
public struct ConversationPinned: EventPayload {
    /// Whether it is pinned.
    public var isPinned: Bool

    /// Creates the event.
    public init(_ isPinned: Bool = true) {
        self.isPinned = isPinned
    }
}

extension ConversationPinned {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.conversationPinned, "ConversationPinned", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationPinned/isPinned`` is.
        public static let isPinned = Field<Bool>(3, "isPinned")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.isPinned))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isPinned, for: Fields.isPinned)
    }
}

extension EventType {
    /// The type of ``ConversationPinned``.
    @inlinable public static var conversationPinned: EventType { EventType(rawValue: 0x25) }
}
