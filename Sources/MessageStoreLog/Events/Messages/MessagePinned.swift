/// A message was pinned in its conversation for all members, or released.
public struct MessagePinned: EventPayload {
    /// Which message; one that the store does not have yet is pinned once it arrives, where it is named by its server id.
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

extension MessagePinned {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messagePinned, "MessagePinned", scope: .conversation, traits: [.changesOneMessage, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessagePinned/actor`` is.
        public static let actor = EnvelopeField(.optionalActor, "actor")
        /// Where ``MessagePinned/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``MessagePinned/isPinned`` is.
        public static let isPinned = Field<Bool>(5, "isPinned")
        /// Where ``MessagePinned/time`` is.
        public static let time = Field<Timestamp?>(6, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.message),
            try fields.decode(Fields.isPinned),
            by: try fields.decode(Fields.actor),
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(isPinned, for: Fields.isPinned)
        try fields.encode(actor, for: Fields.actor)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``MessagePinned``.
    @inlinable public static var messagePinned: EventType { EventType(rawValue: 0x1A) }
}
