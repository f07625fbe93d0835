/// A conversation was pinned to the top of the list, or released.
public struct ConversationPinned: ConversationPayload {
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

extension ConversationPinned: ConversationFlagEvent {
    package static let declared = EventDeclaration(
        .conversationPinned, "ConversationPinned", scope: .conversation, traits: [.replacesEarlier, .mergedByTime])

    package static let flag = FieldOf(3, "isPinned", \Self.isPinned)
    package static let flagTime = FieldOf(4, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, flag, flagTime)
}

extension EventType {
    /// The type of ``ConversationPinned``.
    @inlinable public static var conversationPinned: EventType { EventType(rawValue: 0x25) }
}
