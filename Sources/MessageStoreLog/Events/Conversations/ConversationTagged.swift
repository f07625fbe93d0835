/// Tags were put on a conversation or taken off.
public struct ConversationTagged: ConversationPayload {
    /// The tags to put on; each 1 to 128 UTF-8 bytes.
    public var added: [String]
    /// The tags to take off.
    public var removed: [String]
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Tags are merged one by one. Of two choices with
    /// one time, the one that puts the tag on holds.
    public var time: Timestamp?

    /// Creates the event.
    public init(add added: [String] = [], remove removed: [String] = [], at time: Timestamp? = nil) {
        self.added = added
        self.removed = removed
        self.time = time
    }
}

extension ConversationTagged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationTagged, "ConversationTagged", scope: .conversation, traits: .mergedByTime)

    package static let added = FieldOf(3, "added", \Self.added, .key)
    package static let removed = FieldOf(4, "removed", \Self.removed, .key)
    package static let time = FieldOf(5, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, added, removed, time)
}

extension EventType {
    /// The type of ``ConversationTagged``.
    @inlinable public static var conversationTagged: EventType { EventType(rawValue: 0x2A) }
}
