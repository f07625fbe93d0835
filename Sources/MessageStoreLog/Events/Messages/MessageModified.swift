/// A message's content was replaced by its sender. The latest modification by `time` is shown.
///
/// Recorded with ``Origin/local``, it is shown at once and listed among the pending changes until the server confirms
/// it. While its message is not yet acknowledged, the change is not ready; the host sends it once it is. It is pending
/// until a ``PendingChangeUpdated`` ends it, or a modification of the message arrives with another origin: the server's
/// echo, or this one recorded again as ``Origin/live`` when the server accepts it. Each of those confirms the oldest
/// pending one, so give them event ids if they can arrive twice, and do not confirm one both ways. No modification
/// ends one that was recorded with ``Event/awaitsServer``.
public struct MessageModified: ConversationPayload {
    /// The message.
    public var message: MessageReference
    /// The new content.
    public var content: MessageContent
    /// When, by the server's clock.
    public var time: Timestamp
    /// The users that the message mentions from now on; nil if neither this nor ``mentionsEveryone`` is reported, which
    /// leaves its mentions as they are. Of two changes of them the later by ``time`` applies.
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

extension MessageModified: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageModified, "MessageModified", scope: .conversation,
        traits: [.changesTimeline, .needsMessage, .changesOneMessage, .holdsWords, .readByPosition])

    package static let message = FieldOf(3, "message", \Self.message)
    package static let time = EnvelopeFieldOf(.serverTime, "time", \Self.time)
    package static let actor = EnvelopeFieldOf(.optionalActor, "actor", \Self.actor)
    package static let mentions = FieldOf(5, "mentions", \Self.mentions)
    package static let mentionsEveryone = FieldOf(6, "mentionsEveryone", \Self.mentionsEveryone)
    package static let fieldList = FieldList(
        { Self($0, content: $1, at: $2, mentions: $4, mentionsEveryone: $5, by: $3) }, message, GroupOf(\Self.content),
        time, actor, mentions, mentionsEveryone)
}

extension EventType {
    /// The type of ``MessageModified``.
    @inlinable public static var messageModified: EventType { EventType(rawValue: 0x08) }
}
