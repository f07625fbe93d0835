/// Messages were deleted for this account; copies fetched later stay deleted.
public struct MessagesDeleted: EventPayload {
    /// Which messages.
    public var messages: [MessageReference]
    /// Whether the transport should delete them on the server as well.
    public var isRemote: Bool

    /// Creates the event.
    public init(_ messages: [MessageReference], isRemote: Bool = false) {
        self.messages = messages
        self.isRemote = isRemote
    }
}

extension MessagesDeleted {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messagesDeleted, "MessagesDeleted", scope: .conversation, traits: [.changesTimeline, .needsMessage])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessagesDeleted/messages`` is.
        public static let messages = Field<[MessageReference]>(3, "messages", .nonEmpty)
        /// Where ``MessagesDeleted/isRemote`` is.
        public static let isRemote = Field<Bool>(5, "isRemote")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.messages), isRemote: try fields.decode(Fields.isRemote))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(messages, for: Fields.messages)
        try fields.encode(isRemote, for: Fields.isRemote)
    }
}

extension EventType {
    /// The type of ``MessagesDeleted``.
    @inlinable public static var messagesDeleted: EventType { EventType(rawValue: 0x0A) }
}
