/// A message that only this device shows, such as "sent" or "the other side is offline"; never sent, never counted.
public struct MessageInsertedLocally: EventPayload {
    /// The content.
    public var content: MessageContent
    /// Who is shown as its sender; nil for this account.
    public var sender: UserID?
    /// Its place in the timeline: after every message of this server time.
    public var time: Timestamp
    /// Whether it may be the last message of its conversation; it never counts as unread.
    public var updatesLastMessage: Bool

    /// Creates the event.
    public init(content: MessageContent, sender: UserID? = nil, time: Timestamp, updatesLastMessage: Bool = true) {
        self.content = content
        self.sender = sender
        self.time = time
        self.updatesLastMessage = updatesLastMessage
    }
}

extension MessageInsertedLocally {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageInsertedLocally, "MessageInsertedLocally", scope: .conversation,
        traits: [.changesTimeline, .readByPosition])

    package enum Fields {
        package static let sender = EnvelopeField(.optionalActor, "sender")
        package static let time = EnvelopeField(.serverTime, "time")
        package static let updatesLastMessage = EnvelopeField(.flag(.updatesLastMessage), "updatesLastMessage")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            content: try MessageContent(from: &fields),
            sender: try fields.decode(Fields.sender),
            time: try fields.decode(Fields.time),
            updatesLastMessage: try fields.decode(Fields.updatesLastMessage))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try content.encode(to: &fields)
        try fields.encode(sender, for: Fields.sender)
        try fields.encode(time, for: Fields.time)
        try fields.encode(updatesLastMessage, for: Fields.updatesLastMessage)
    }

    /// Sets the sender: this account, unless another user is named.
    public func _complete(_ envelope: inout RecordEnvelope) {
        envelope.actor = sender ?? envelope.account
        envelope.set(.isOutgoing, envelope.actor == envelope.account)
    }
}

extension EventType {
    /// The type of ``MessageInsertedLocally``.
    @inlinable public static var messageInsertedLocally: EventType { EventType(rawValue: 0x0E) }
}
