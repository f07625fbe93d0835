/// The mark "unread", which is independent of the count, was set or removed. A conversation that is marked is listed,
/// also where it was deleted from the list.
public struct ConversationMarkedUnread: ConversationPayload {
    /// Whether the mark is set.
    public var isMarked: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one that marks holds.
    /// Reading the conversation counts as a choice when it is recorded.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ isMarked: Bool = true, at time: Timestamp? = nil) {
        self.isMarked = isMarked
        self.time = time
    }
}

extension ConversationMarkedUnread: ConversationFlagEvent {
    package static let declared = EventDeclaration(
        .conversationMarkedUnread, "ConversationMarkedUnread", scope: .conversation,
        traits: [.replacesEarlier, .mergedByTime])

    package static let flag = FieldOf(3, "isMarked", \Self.isMarked)
    package static let flagTime = FieldOf(4, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, flag, flagTime)
}

extension EventType {
    /// The type of ``ConversationMarkedUnread``.
    @inlinable public static var conversationMarkedUnread: EventType { EventType(rawValue: 0x24) }
}
