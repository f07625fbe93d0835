/// This account starred a message to find it again, or took the star away, here or on another device.
public struct MessageStarred: ConversationPayload {
    /// The message; one that the store does not have yet is starred once it arrives, if its server id names it.
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

extension MessageStarred: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageStarred, "MessageStarred", scope: .conversation, traits: [.changesOneMessage, .mergedByTime])

    package static let message = FieldOf(3, "message", \Self.message)
    package static let isStarred = FieldOf(5, "isStarred", \Self.isStarred)
    package static let time = FieldOf(6, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, message, isStarred, time)
}

extension EventType {
    /// The type of ``MessageStarred``.
    @inlinable public static var messageStarred: EventType { EventType(rawValue: 0x1B) }
}
