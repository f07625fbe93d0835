/// A conversation was pinned to the top of the list, or released.
public struct ConversationPinned: EventPayload {
    /// Whether it is pinned.
    public var isPinned: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one that pins holds.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ isPinned: Bool = true, at time: Timestamp? = nil) {
        self.isPinned = isPinned
        self.time = time
    }
}

extension ConversationPinned {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationPinned, "ConversationPinned", scope: .conversation, traits: [.replacesEarlier, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationPinned/isPinned`` is.
        public static let isPinned = Field<Bool>(3, "isPinned")
        /// Where ``ConversationPinned/time`` is.
        public static let time = Field<Timestamp?>(4, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.isPinned), at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isPinned, for: Fields.isPinned)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``ConversationPinned``.
    @inlinable public static var conversationPinned: EventType { EventType(rawValue: 0x25) }
}
