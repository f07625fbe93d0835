/// A user took a reaction back.
public struct ReactionRemoved: ConversationPayload {
    /// The message.
    public var message: MessageReference
    /// The reaction, such as an emoji; 1 to 128 UTF-8 bytes.
    public var key: String
    /// Who had reacted.
    public var user: UserID
    /// When, by the server's clock.
    public var time: Timestamp

    /// Creates the event.
    public init(_ message: MessageReference, key: String, by user: UserID, at time: Timestamp) {
        self.message = message
        self.key = key
        self.user = user
        self.time = time
    }
}

extension ReactionRemoved: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .reactionRemoved, "ReactionRemoved", scope: .conversation, traits: .changesOneMessage)

    package static let message = FieldOf(3, "message", \Self.message)
    package static let key = FieldOf(5, "key", \Self.key, .key)
    package static let user = EnvelopeFieldOf(.actor, "user", \Self.user)
    package static let time = EnvelopeFieldOf(.serverTime, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, message, key, user, time)
}

extension EventType {
    /// The type of ``ReactionRemoved``.
    @inlinable public static var reactionRemoved: EventType { EventType(rawValue: 0x14) }
}
