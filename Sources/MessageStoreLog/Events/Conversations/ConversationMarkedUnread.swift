/// The mark "unread", beside the count, was set or taken away. A conversation that is marked is listed, also where it was
/// deleted from the list.
public struct ConversationMarkedUnread: EventPayload {
    /// Whether the mark is set.
    public var isMarked: Bool

    /// Creates the event.
    public init(_ isMarked: Bool = true) {
        self.isMarked = isMarked
    }
}

extension ConversationMarkedUnread {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationMarkedUnread, "ConversationMarkedUnread", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationMarkedUnread/isMarked`` is.
        public static let isMarked = Field<Bool>(3, "isMarked")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.isMarked))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isMarked, for: Fields.isMarked)
    }
}

extension EventType {
    /// The type of ``ConversationMarkedUnread``.
    @inlinable public static var conversationMarkedUnread: EventType { EventType(rawValue: 0x24) }
}
