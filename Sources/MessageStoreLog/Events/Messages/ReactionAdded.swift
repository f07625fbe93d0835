/// A user reacted to a message; for each user and key the latest change by `time` is shown.
public struct ReactionAdded: EventPayload {
    /// Which message; a local id that no server knows at this position is ignored.
    public var message: MessageReference
    /// The reaction, such as an emoji; 1 to 128 UTF-8 bytes.
    public var key: String
    /// Who reacted.
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

extension ReactionAdded {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .reactionAdded, "ReactionAdded", scope: .conversation, traits: .changesOneMessage)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ReactionAdded/user`` is.
        public static let user = EnvelopeField(.actor, "user")
        /// Where ``ReactionAdded/time`` is.
        public static let time = EnvelopeField(.serverTime, "time")
        /// Where ``ReactionAdded/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``ReactionAdded/key`` is.
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
    /// The type of ``ReactionAdded``.
    @inlinable public static var reactionAdded: EventType { EventType(rawValue: 0x13) }
}
