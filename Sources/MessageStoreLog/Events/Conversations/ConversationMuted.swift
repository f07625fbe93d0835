/// Notifications of a conversation were muted, or let through again.
public struct ConversationMuted: EventPayload {
    /// Whether it is muted.
    public var isMuted: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one that mutes holds.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ isMuted: Bool = true, at time: Timestamp? = nil) {
        self.isMuted = isMuted
        self.time = time
    }
}

extension ConversationMuted {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.conversationMuted, "ConversationMuted", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationMuted/isMuted`` is.
        public static let isMuted = Field<Bool>(3, "isMuted")
        /// Where ``ConversationMuted/time`` is.
        public static let time = Field<Timestamp?>(4, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.isMuted), at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isMuted, for: Fields.isMuted)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``ConversationMuted``.
    @inlinable public static var conversationMuted: EventType { EventType(rawValue: 0x26) }
}
