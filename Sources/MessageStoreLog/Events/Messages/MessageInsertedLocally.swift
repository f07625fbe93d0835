/// A message that only this device shows, such as "sent" or "the other side is offline"; never sent, never counted.
public struct MessageInsertedLocally: ConversationPayload {
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

extension MessageInsertedLocally: BuiltInPayload {
    package static let declared = EventDeclaration(
        .messageInsertedLocally, "MessageInsertedLocally", scope: .conversation,
        traits: [.changesTimeline, .readByPosition])

    package enum Fields {
        package static let sender = SlotField(OptionalActorSlot(), "sender")
        package static let time = SlotField(ServerTimeSlot(), "time")
        package static let updatesLastMessage = SlotField(FlagSlot(flag: .updatesLastMessage), "updatesLastMessage")
    }

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(
            content: try MessageContent(from: &fields),
            sender: try fields.decode(Fields.sender),
            time: try fields.decode(Fields.time),
            updatesLastMessage: try fields.decode(Fields.updatesLastMessage))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try content.encode(to: &fields)
        try fields.encode(sender, for: Fields.sender)
        try fields.encode(time, for: Fields.time)
        try fields.encode(updatesLastMessage, for: Fields.updatesLastMessage)
        fields.complete { envelope in
            envelope.actor = sender ?? envelope.account
            envelope.set(.isOutgoing, envelope.actor == envelope.account)
        }
    }
}

extension EventType {
    /// The type of ``MessageInsertedLocally``.
    @inlinable public static var messageInsertedLocally: EventType { EventType(rawValue: 0x0E) }
}
