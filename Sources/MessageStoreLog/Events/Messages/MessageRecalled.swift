/// A message was recalled for everyone; it stays in the timeline as recalled and does not count.
///
/// Recorded with ``Origin/local``, it is pending until the server confirms it, as a ``MessageModified`` is. One with
/// another origin ends every pending modification and recall of its message.
public struct MessageRecalled: ConversationPayload {
    /// The message.
    public var message: MessageReference
    /// Who recalled it; nil for its sender.
    public var actor: UserID?
    /// The reason, if one was given.
    public var reason: String?

    /// Creates the event.
    public init(_ message: MessageReference, by actor: UserID? = nil, reason: String? = nil) {
        self.message = message
        self.actor = actor
        self.reason = reason
    }
}

extension MessageRecalled: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageRecalled, "MessageRecalled", scope: .conversation,
        traits: [.changesTimeline, .needsMessage, .changesOneMessage, .readByPosition])

    package static let message = FieldOf(3, "message", \Self.message)
    package static let actor = EnvelopeFieldOf(.optionalActor, "actor", \Self.actor)
    package static let reason = ContentFieldOf(1, "reason", \Self.reason)
    package static let fieldList = FieldList(Self.init, message, actor, reason)
}

extension EventType {
    /// The type of ``MessageRecalled``.
    @inlinable public static var messageRecalled: EventType { EventType(rawValue: 0x09) }
}
