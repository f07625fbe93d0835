/// The mark "unread", beside the count, was set or taken away. A conversation that is marked is listed, also where it was
/// deleted from the list.
public struct ConversationMarkedUnread: EventPayload {
    /// Whether the mark is set.
    public var isMarked: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one that marks holds. Reading the conversation counts as a choice when it is recorded.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ isMarked: Bool = true, at time: Timestamp? = nil) {
        self.isMarked = isMarked
        self.time = time
    }
}

extension ConversationMarkedUnread {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationMarkedUnread, "ConversationMarkedUnread", scope: .conversation,
        traits: [.replacesEarlier, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationMarkedUnread/isMarked`` is.
        public static let isMarked = Field<Bool>(3, "isMarked")
        /// Where ``ConversationMarkedUnread/time`` is.
        public static let time = Field<Timestamp?>(4, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.isMarked), at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isMarked, for: Fields.isMarked)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``ConversationMarkedUnread``.
    @inlinable public static var conversationMarkedUnread: EventType { EventType(rawValue: 0x24) }
}
