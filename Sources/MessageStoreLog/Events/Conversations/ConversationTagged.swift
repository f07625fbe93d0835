/// Tags were put on a conversation or taken off.
public struct ConversationTagged: EventPayload {
    /// The tags to put on; each 1 to 128 UTF-8 bytes.
    public var added: [String]
    /// The tags to take off.
    public var removed: [String]

    /// Creates the event.
    public init(add added: [String] = [], remove removed: [String] = []) {
        self.added = added
        self.removed = removed
    }
}

extension ConversationTagged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.conversationTagged, "ConversationTagged", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationTagged/added`` is.
        public static let added = Field<[String]>(3, "added", .key)
        /// Where ``ConversationTagged/removed`` is.
        public static let removed = Field<[String]>(4, "removed", .key)
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(add: try fields.decode(Fields.added), remove: try fields.decode(Fields.removed))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(added, for: Fields.added)
        try fields.encode(removed, for: Fields.removed)
    }
}

extension EventType {
    /// The type of ``ConversationTagged``.
    @inlinable public static var conversationTagged: EventType { EventType(rawValue: 0x2A) }
}
