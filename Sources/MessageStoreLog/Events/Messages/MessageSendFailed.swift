/// Sending failed; a later ``MessageSent`` still wins.
public struct MessageSendFailed: ConversationPayload {
    /// The queued message.
    public var message: LocalMessageID
    /// The transport's error code.
    public var code: Int32

    /// Creates the event.
    public init(message: LocalMessageID, code: Int32) {
        self.message = message
        self.code = code
    }
}

extension MessageSendFailed: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageSendFailed, "MessageSendFailed", scope: .conversation, traits: .needsMessage)

    package static let message = FieldOf(3, "message", \Self.message)
    package static let code = FieldOf(4, "code", \Self.code)
    package static let fieldList = FieldList(Self.init, message, code)
}

extension EventType {
    /// The type of ``MessageSendFailed``.
    @inlinable public static var messageSendFailed: EventType { EventType(rawValue: 0x03) }
}
