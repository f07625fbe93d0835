/// Key-value pairs beside a message changed; for each key the latest change by `time` is shown.
public struct MessageMetadataChanged: EventPayload {
    /// Which message; a local id that no server knows at this position is ignored.
    public var message: MessageReference
    /// The pairs to set.
    public var values: [String: String]
    /// The keys to remove.
    public var removed: [String]
    /// When, by the server's clock.
    public var time: Timestamp

    /// Creates the event.
    public init(_ message: MessageReference, set values: [String: String] = [:], remove: [String] = [], at: Timestamp) {
        self.message = message
        self.values = values
        removed = remove
        time = at
    }
}

extension MessageMetadataChanged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageMetadataChanged, "MessageMetadataChanged", scope: .conversation, traits: .changesOneMessage)

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageMetadataChanged/time`` is.
        public static let time = EnvelopeField(.serverTime, "time")
        /// Where ``MessageMetadataChanged/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``MessageMetadataChanged/values`` is.
        public static let values = Field<[String: String]>(5, "values", .key)
        /// Where ``MessageMetadataChanged/removed`` is.
        public static let removed = Field<[String]>(6, "removed", .key)
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.message),
            set: try fields.decode(Fields.values),
            remove: try fields.decode(Fields.removed),
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(values, for: Fields.values)
        try fields.encode(removed, for: Fields.removed)
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``MessageMetadataChanged``.
    @inlinable public static var messageMetadataChanged: EventType { EventType(rawValue: 0x12) }
}
