/// A user took a reaction back.
public struct ReactionRemoved: EventPayload {
    /// Which message.
    public var message: MessageReference
    /// The reaction, such as an emoji; 1 to 128 UTF-8 bytes.
    public var key: String
    /// Who had reacted.
    public var user: UserID
    /// When, by the server's clock.
    public var time: Timestamp

    /// Creates the event.
    public init(_ message: MessageReference, key: String, by user: UserID, at time: Timestamp) {
        self.message = message
        self.key = key
        self.user = user
        self.time = time
    }
}

extension ReactionRemoved {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .reactionRemoved, "ReactionRemoved", scope: .conversation, traits: .changesOneMessage)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ReactionRemoved/user`` is.
        public static let user = EnvelopeField(.actor, "user")
        /// Where ``ReactionRemoved/time`` is.
        public static let time = EnvelopeField(.serverTime, "time")
        /// Where ``ReactionRemoved/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``ReactionRemoved/key`` is.
        public static let key = Field<String>(5, "key", .key)
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.message),
            key: try fields.decode(Fields.key),
            by: try fields.decode(Fields.user),
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(key, for: Fields.key)
        try fields.encode(user, for: Fields.user)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``ReactionRemoved``.
    @inlinable public static var reactionRemoved: EventType { EventType(rawValue: 0x14) }
}
