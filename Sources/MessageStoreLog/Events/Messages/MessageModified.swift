/// A message's content was replaced by its sender. The latest modification by `time` is shown.
///
/// Recorded with ``Origin/local``, it is shown at once and listed among the pending changes until the server confirms
/// it. While its message is not yet acknowledged, the change is not ready; the host sends it once it is. It is pending
/// until a ``PendingChangeUpdated`` ends it, or a modification of the message arrives with another origin: the server's echo,
/// or this one recorded again as ``Origin/live`` when the server accepts it. Each of those confirms the oldest pending one, so
/// give them event ids if they can arrive twice, and do not confirm one both ways. One that is recorded with
/// ``Event/awaitsServer`` ends by a ``PendingChangeUpdated`` alone.
public struct MessageModified: EventPayload {
    /// Which message.
    public var message: MessageReference
    /// The new content.
    public var content: MessageContent
    /// When, by the server's clock.
    public var time: Timestamp
    /// The users that the message mentions from now on; nil where neither this nor ``mentionsEveryone`` is told, which leaves
    /// its mentions as they are. Of two changes of them the later by ``time`` holds.
    public var mentions: [UserID]?
    /// Whether the message mentions everybody from now on.
    public var mentionsEveryone: Bool
    /// Who changed it; nil for its sender.
    public var actor: UserID?

    /// Creates the event.
    public init(
        _ message: MessageReference, content: MessageContent, at time: Timestamp, mentions: [UserID]? = nil,
        mentionsEveryone: Bool = false, by actor: UserID? = nil
    ) {
        self.message = message
        self.content = content
        self.time = time
        self.mentions = mentions
        self.mentionsEveryone = mentionsEveryone
        self.actor = actor
    }
}

extension MessageModified {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageModified, "MessageModified", scope: .conversation,
        traits: [.changesTimeline, .needsMessage, .changesOneMessage, .holdsWords, .readByPosition])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageModified/time`` is.
        public static let time = EnvelopeField(.serverTime, "time")
        /// Where ``MessageModified/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``MessageModified/actor`` is.
        public static let actor = EnvelopeField(.optionalActor, "actor")
        /// Where ``MessageModified/mentions`` is.
        public static let mentions = Field<[UserID]?>(5, "mentions")
        /// Where ``MessageModified/mentionsEveryone`` is.
        public static let mentionsEveryone = Field<Bool>(6, "mentionsEveryone")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.message),
            content: try MessageContent(from: &fields),
            at: try fields.decode(Fields.time),
            mentions: try fields.decode(Fields.mentions),
            mentionsEveryone: try fields.decode(Fields.mentionsEveryone),
            by: try fields.decode(Fields.actor))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try content.encode(to: &fields)
        try fields.encode(time, for: Fields.time)
        try fields.encode(actor, for: Fields.actor)
        try fields.encode(mentions, for: Fields.mentions)
        try fields.encode(mentionsEveryone, for: Fields.mentionsEveryone)
    }
}

extension EventType {
    /// The type of ``MessageModified``.
    @inlinable public static var messageModified: EventType { EventType(rawValue: 0x08) }
}
