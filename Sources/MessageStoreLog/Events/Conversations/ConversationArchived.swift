/// A conversation was put into the archive, or taken out of it.
///
/// It stays there until an event says otherwise, also while messages arrive. Where a service takes a conversation out of
/// the archive when a message comes, the host records that as an event of its own. ``ConversationDeleted`` takes it out as well.
public struct ConversationArchived: EventPayload {
    /// Whether it is in the archive.
    public var isArchived: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one that archives holds.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ isArchived: Bool = true, at time: Timestamp? = nil) {
        self.isArchived = isArchived
        self.time = time
    }
}

extension ConversationArchived {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationArchived, "ConversationArchived", scope: .conversation, traits: [.replacesEarlier, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationArchived/isArchived`` is.
        public static let isArchived = Field<Bool>(3, "isArchived")
        /// Where ``ConversationArchived/time`` is.
        public static let time = Field<Timestamp?>(4, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.isArchived), at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isArchived, for: Fields.isArchived)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``ConversationArchived``.
    @inlinable public static var conversationArchived: EventType { EventType(rawValue: 0x2E) }
}
