/// Sending failed; a later ``MessageSent`` still wins.
public struct MessageSendFailed: EventPayload {
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

extension MessageSendFailed {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageSendFailed, "MessageSendFailed", scope: .conversation, traits: .needsMessage)

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageSendFailed/message`` is.
        public static let message = Field<LocalMessageID>(3, "message")
        /// Where ``MessageSendFailed/code`` is.
        public static let code = Field<Int32>(4, "code")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(message: try fields.decode(Fields.message), code: try fields.decode(Fields.code))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(code, for: Fields.code)
    }
}

extension EventType {
    /// The type of ``MessageSendFailed``.
    @inlinable public static var messageSendFailed: EventType { EventType(rawValue: 0x03) }
}
