/// The host corrected the status of one of its own messages, even to an earlier status.
public struct MessageStatusOverridden: EventPayload {
    /// Which message; messages of others have no status and are ignored.
    public var message: MessageReference
    /// The status from now on; later answers and receipts still raise it.
    public var status: MessageStatus

    /// Creates the event.
    public init(_ message: MessageReference, status: MessageStatus) {
        self.message = message
        self.status = status
    }
}

extension MessageStatusOverridden {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageStatusOverridden, "MessageStatusOverridden", scope: .conversation,
        traits: [.changesTimeline, .changesOneMessage])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageStatusOverridden/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``MessageStatusOverridden/status`` is.
        public static let status = Field<MessageStatus>(5, "status")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.message), status: try fields.decode(Fields.status))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(status, for: Fields.status)
    }

    /// Refuses the status that only messages of others have.
    public func validate() throws {
        guard status != .received else { throw invalid("sets the status of messages of others") }
    }
}

extension EventType {
    /// The type of ``MessageStatusOverridden``.
    @inlinable public static var messageStatusOverridden: EventType { EventType(rawValue: 0x0D) }
}
