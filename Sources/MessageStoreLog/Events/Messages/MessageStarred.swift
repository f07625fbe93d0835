/// This account starred a message to find it again, or took the star away, here or on another device.
public struct MessageStarred: EventPayload {
    /// Which message; one that the store does not have yet is starred once it arrives, where it is named by its server id.
    public var message: MessageReference
    /// Whether it has a star.
    public var isStarred: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one that sets holds.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ message: MessageReference, _ isStarred: Bool = true, at time: Timestamp? = nil) {
        self.message = message
        self.isStarred = isStarred
        self.time = time
    }
}

extension MessageStarred {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageStarred, "MessageStarred", scope: .conversation, traits: [.changesOneMessage, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageStarred/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``MessageStarred/isStarred`` is.
        public static let isStarred = Field<Bool>(5, "isStarred")
        /// Where ``MessageStarred/time`` is.
        public static let time = Field<Timestamp?>(6, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.message),
            try fields.decode(Fields.isStarred),
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(isStarred, for: Fields.isStarred)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``MessageStarred``.
    @inlinable public static var messageStarred: EventType { EventType(rawValue: 0x1B) }
}
