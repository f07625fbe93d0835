/// A message was recalled for everyone; it stays in the timeline as recalled and does not count.
///
/// Recorded with ``Origin/local``, it is pending until the server confirms it, as a ``MessageModified`` is. One with
/// another origin ends every pending modification and recall of its message.
public struct MessageRecalled: EventPayload {
    /// Which message.
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

extension MessageRecalled {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageRecalled, "MessageRecalled", scope: .conversation,
        traits: [.changesTimeline, .needsMessage, .changesOneMessage, .readByPosition])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageRecalled/actor`` is.
        public static let actor = EnvelopeField(.optionalActor, "actor")
        /// Where ``MessageRecalled/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``MessageRecalled/reason`` is.
        public static let reason = ContentField<String?>(1, "reason")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.message),
            by: try fields.decode(Fields.actor),
            reason: try fields.decode(Fields.reason))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(actor, for: Fields.actor)
        try fields.encode(reason, for: Fields.reason)
    }
}

extension EventType {
    /// The type of ``MessageRecalled``.
    @inlinable public static var messageRecalled: EventType { EventType(rawValue: 0x09) }
}
