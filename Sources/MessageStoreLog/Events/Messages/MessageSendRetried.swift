/// The host tries to send a failed message again.
public struct MessageSendRetried: EventPayload {
    /// The failed message.
    public var message: LocalMessageID

    /// Creates the event.
    public init(message: LocalMessageID) {
        self.message = message
    }
}

extension MessageSendRetried {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageSendRetried, "MessageSendRetried", scope: .conversation, traits: .needsMessage)

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageSendRetried/message`` is.
        public static let message = Field<LocalMessageID>(3, "message")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(message: try fields.decode(Fields.message))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
    }
}

extension EventType {
    /// The type of ``MessageSendRetried``.
    @inlinable public static var messageSendRetried: EventType { EventType(rawValue: 0x04) }
}
