/// This account sent read receipts to the senders of messages.
public struct ReadReceiptSent: EventPayload {
    /// Which messages.
    public var messages: [MessageReference]

    /// Creates the event.
    public init(_ messages: [MessageReference]) {
        self.messages = messages
    }
}

extension ReadReceiptSent {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.readReceiptSent, "ReadReceiptSent", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ReadReceiptSent/messages`` is.
        public static let messages = Field<[MessageReference]>(3, "messages", .nonEmpty)
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.messages))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(messages, for: Fields.messages)
    }
}

extension EventType {
    /// The type of ``ReadReceiptSent``.
    @inlinable public static var readReceiptSent: EventType { EventType(rawValue: 0x10) }
}
