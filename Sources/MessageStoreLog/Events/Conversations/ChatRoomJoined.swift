/// This account joined a chat room.
public struct ChatRoomJoined: ConversationPayload {
    /// When, by the server's clock.
    public var time: Timestamp

    /// Creates the event.
    public init(at time: Timestamp) {
        self.time = time
    }
}

extension ChatRoomJoined: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.chatRoomJoined, "ChatRoomJoined", scope: .chatRoom)

    package static let time = EnvelopeFieldOf(.serverTime, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, time)
}

extension EventType {
    /// The type of ``ChatRoomJoined``.
    @inlinable public static var chatRoomJoined: EventType { EventType(rawValue: 0x30) }
}
