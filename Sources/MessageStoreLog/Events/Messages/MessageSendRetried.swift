/// The host tries to send a failed message again.
public struct MessageSendRetried: ConversationPayload {
    /// The failed message.
    public var message: LocalMessageID

    /// Creates the event.
    public init(message: LocalMessageID) {
        self.message = message
    }
}

extension MessageSendRetried: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageSendRetried, "MessageSendRetried", scope: .conversation, traits: .needsMessage)

    package static let message = FieldOf(3, "message", \Self.message)
    package static let fieldList = FieldList(Self.init, message)
}

extension EventType {
    /// The type of ``MessageSendRetried``.
    @inlinable public static var messageSendRetried: EventType { EventType(rawValue: 0x04) }
}
