/// The sender of messages requested read receipts for them from this account.
public struct ReadReceiptRequested: ConversationPayload {
    /// The messages.
    public var messages: [MessageReference]

    /// Creates the event.
    public init(_ messages: [MessageReference]) {
        self.messages = messages
    }
}

extension ReadReceiptRequested: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .readReceiptRequested, "ReadReceiptRequested", scope: .conversation, traits: .changesTimeline)

    package static let messages = FieldOf(3, "messages", \Self.messages, .nonEmpty)
    package static let fieldList = FieldList(Self.init, messages)
}

extension EventType {
    /// The type of ``ReadReceiptRequested``.
    @inlinable public static var readReceiptRequested: EventType { EventType(rawValue: 0x0F) }
}
