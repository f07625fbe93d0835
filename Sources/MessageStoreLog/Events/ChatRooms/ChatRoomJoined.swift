/// This account joined a chat room.
public struct ChatRoomJoined: EventPayload {
    /// When, by the server's clock.
    public var time: Timestamp

    /// Creates the event.
    public init(at time: Timestamp) {
        self.time = time
    }
}

extension ChatRoomJoined {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.chatRoomJoined, "ChatRoomJoined", scope: .chatRoom)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ChatRoomJoined/time`` is.
        public static let time = EnvelopeField(.serverTime, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(time, for: Fields.time)
    }
}

extension EventType {
    /// The type of ``ChatRoomJoined``.
    @inlinable public static var chatRoomJoined: EventType { EventType(rawValue: 0x30) }
}
