/// Tags were put on a conversation or taken off.
public struct ConversationTagged: EventPayload {
    /// The tags to put on; each 1 to 128 UTF-8 bytes.
    public var added: [String]
    /// The tags to take off.
    public var removed: [String]
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Tags are merged one by one. Of two choices with one time, the one that puts
    /// the tag on holds.
    public var time: Timestamp?

    /// Creates the event.
    public init(add added: [String] = [], remove removed: [String] = [], at time: Timestamp? = nil) {
        self.added = added
        self.removed = removed
        self.time = time
    }
}

extension ConversationTagged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationTagged, "ConversationTagged", scope: .conversation, traits: .mergedByTime)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationTagged/added`` is.
        public static let added = Field<[String]>(3, "added", .key)
        /// Where ``ConversationTagged/removed`` is.
        public static let removed = Field<[String]>(4, "removed", .key)
        /// Where ``ConversationTagged/time`` is.
        public static let time = Field<Timestamp?>(5, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            add: try fields.decode(Fields.added),
            remove: try fields.decode(Fields.removed),
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(added, for: Fields.added)
        try fields.encode(removed, for: Fields.removed)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``ConversationTagged``.
    @inlinable public static var conversationTagged: EventType { EventType(rawValue: 0x2A) }
}
