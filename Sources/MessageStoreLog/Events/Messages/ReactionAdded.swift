/// A user reacted to a message; for each user and key the latest change by `time` is shown.
public struct ReactionAdded: ConversationPayload {
    /// The message.
    public var message: MessageReference
    /// The reaction, such as an emoji; 1 to 128 UTF-8 bytes.
    public var key: String
    /// Who reacted.
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

extension ReactionAdded: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .reactionAdded, "ReactionAdded", scope: .conversation, traits: .changesOneMessage)

    package static let message = FieldOf(3, "message", \Self.message)
    package static let key = FieldOf(5, "key", \Self.key, .key)
    package static let user = EnvelopeFieldOf(.actor, "user", \Self.user)
    package static let time = EnvelopeFieldOf(.serverTime, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, message, key, user, time)
}

extension EventType {
    /// The type of ``ReactionAdded``.
    @inlinable public static var reactionAdded: EventType { EventType(rawValue: 0x13) }
}

/// Who reacted to a message in one way, as a server reports it at one moment.
public struct ReactionSummary: ListElement, FieldGroup {
    /// The reaction, such as an emoji; 1 to 128 UTF-8 bytes.
    public var key: String
    /// Who gave it, as far as the server names them.
    public var users: [UserID]
    /// How many gave it; nil if the server names all of them.
    public var count: UInt32?

    /// Creates the value.
    public init(key: String, users: [UserID] = [], count: UInt32? = nil) {
        self.key = key
        self.users = users
        self.count = count
    }
}

extension ReactionSummary: BuiltInFields {
    package static let key = FieldOf(1, "key", \Self.key, .key)
    package static let users = FieldOf(2, "users", \Self.users)
    package static let count = FieldOf(3, "count", \Self.count)
    package static let fieldList = FieldList(Self.init, key, users, count)
}
