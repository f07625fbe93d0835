/// A conversation was put into the archive, or taken out of it.
///
/// It stays there until an event says otherwise, also while messages arrive. If a service takes a conversation out of
/// the archive when a message comes, the host records that as an event of its own. ``ConversationDeleted`` takes it out
/// as well.
public struct ConversationArchived: ConversationPayload {
    /// Whether it is in the archive.
    public var isArchived: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one that archives
    /// holds.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ isArchived: Bool = true, at time: Timestamp? = nil) {
        self.isArchived = isArchived
        self.time = time
    }
}

extension ConversationArchived: ConversationFlagEvent {
    package static let declared = EventDeclaration(
        .conversationArchived, "ConversationArchived", scope: .conversation, traits: [.replacesEarlier, .mergedByTime])

    package static let flag = FieldOf(3, "isArchived", \Self.isArchived)
    package static let flagTime = FieldOf(4, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, flag, flagTime)
}

extension EventType {
    /// The type of ``ConversationArchived``.
    @inlinable public static var conversationArchived: EventType { EventType(rawValue: 0x2E) }
}
