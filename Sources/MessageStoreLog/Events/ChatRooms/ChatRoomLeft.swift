/// This account is no longer in a chat room.
public struct ChatRoomLeft: EventPayload {
    /// Why it left.
    public var reason: ChatRoomLeaveReason
    /// When, by the server's clock.
    public var time: Timestamp
    /// Whether the room's messages and entries are no longer shown. By default they stay if the connection broke.
    public var purges: Bool

    /// Creates the event; `purges` is true by default, except for ``ChatRoomLeaveReason/dropped``.
    public init(_ reason: ChatRoomLeaveReason = .quit, at time: Timestamp, purges: Bool? = nil) {
        self.reason = reason
        self.time = time
        self.purges = purges ?? (reason != .dropped)
    }
}

extension ChatRoomLeft {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .chatRoomLeft, "ChatRoomLeft", scope: .chatRoom, traits: .changesTimeline)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ChatRoomLeft/time`` is.
        public static let time = EnvelopeField(.serverTime, "time")
        /// Where ``ChatRoomLeft/reason`` is.
        public static let reason = Field<ChatRoomLeaveReason>(3, "reason")
        /// Where ``ChatRoomLeft/purges`` is.
        public static let purges = Field<Bool>(4, "purges")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.reason),
            at: try fields.decode(Fields.time),
            purges: try fields.decode(Fields.purges))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(reason, for: Fields.reason)
        try fields.encode(time, for: Fields.time)
        try fields.encode(purges, for: Fields.purges)
    }
}

extension EventType {
    /// The type of ``ChatRoomLeft``.
    @inlinable public static var chatRoomLeft: EventType { EventType(rawValue: 0x31) }
}
