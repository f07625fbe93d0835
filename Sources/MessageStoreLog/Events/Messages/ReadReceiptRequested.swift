/// The sender of messages requested read receipts for them from this account.
public struct ReadReceiptRequested: EventPayload {
    /// Which messages.
    public var messages: [MessageReference]

    /// Creates the event.
    public init(_ messages: [MessageReference]) {
        self.messages = messages
    }
}

extension ReadReceiptRequested {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .readReceiptRequested, "ReadReceiptRequested", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ReadReceiptRequested/messages`` is.
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
    /// The type of ``ReadReceiptRequested``.
    @inlinable public static var readReceiptRequested: EventType { EventType(rawValue: 0x0F) }
}
