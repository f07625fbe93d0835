/// The key-value pairs of a chat room changed.
public struct ChatRoomEntriesChanged: EventPayload {
    /// The pairs to set.
    public var values: [String: String]
    /// The keys to remove.
    public var removed: [String]

    /// Creates the event.
    public init(set values: [String: String] = [:], remove removed: [String] = []) {
        self.values = values
        self.removed = removed
    }
}

extension ChatRoomEntriesChanged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .chatRoomEntriesChanged, "ChatRoomEntriesChanged", scope: .chatRoom)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ChatRoomEntriesChanged/values`` is.
        public static let values = Field<[String: String]>(3, "values", .key)
        /// Where ``ChatRoomEntriesChanged/removed`` is.
        public static let removed = Field<[String]>(4, "removed", .key)
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(set: try fields.decode(Fields.values), remove: try fields.decode(Fields.removed))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(values, for: Fields.values)
        try fields.encode(removed, for: Fields.removed)
    }
}

extension EventType {
    /// The type of ``ChatRoomEntriesChanged``.
    @inlinable public static var chatRoomEntriesChanged: EventType { EventType(rawValue: 0x32) }
}
