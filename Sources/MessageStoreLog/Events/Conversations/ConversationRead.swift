/// This account read a conversation, here or on another device; the read marker never moves back.
public struct ConversationRead: ConversationPayload {
    /// The last message read; nil means all that is known at this position.
    public var upTo: MessageOrder?

    /// Creates the event.
    public init(upTo: MessageOrder? = nil) {
        self.upTo = upTo
    }
}

extension ConversationRead: BuiltInPayload {
    package static let declared = EventDeclaration(
        .conversationRead, "ConversationRead", scope: .conversation, traits: .mergedByTime)

    package enum Fields {
        package static let upTo = Field<MessageOrder?>(3, "upTo")
    }

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(upTo: try fields.decode(Fields.upTo))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try fields.encode(upTo, for: Fields.upTo)
    }
}

extension EventType {
    /// The type of ``ConversationRead``.
    @inlinable public static var conversationRead: EventType { EventType(rawValue: 0x23) }
}
