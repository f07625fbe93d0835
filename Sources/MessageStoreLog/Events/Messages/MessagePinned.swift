/// A message was pinned in its conversation for all members, or released.
public struct MessagePinned: ConversationPayload {
    /// The message; one that the store does not have yet is pinned once it arrives, if its server id names it.
    public var message: MessageReference
    /// Whether it is pinned.
    public var isPinned: Bool
    /// Who did it, if known.
    public var actor: UserID?
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one that sets holds.
    public var time: Timestamp?

    /// Creates the event.
    public init(
        _ message: MessageReference, _ isPinned: Bool = true, by actor: UserID? = nil, at time: Timestamp? = nil
    ) {
        self.message = message
        self.isPinned = isPinned
        self.actor = actor
        self.time = time
    }
}

extension MessagePinned: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messagePinned, "MessagePinned", scope: .conversation, traits: [.changesOneMessage, .mergedByTime])

    package static let message = FieldOf(3, "message", \Self.message)
    package static let isPinned = FieldOf(5, "isPinned", \Self.isPinned)
    package static let actor = EnvelopeFieldOf(.optionalActor, "actor", \Self.actor)
    package static let time = FieldOf(6, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, message, isPinned, actor, time)
}

extension EventType {
    /// The type of ``MessagePinned``.
    @inlinable public static var messagePinned: EventType { EventType(rawValue: 0x1A) }
}
