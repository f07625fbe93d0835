/// This account is no longer in a chat room.
public struct ChatRoomLeft: ConversationPayload {
    /// Why it left.
    public var reason: ChatRoomLeaveReason
    /// When, by the server's clock.
    public var time: Timestamp
    /// Whether the room's entries are removed, and its messages are shown only once the service delivers them again. By
    /// default both stay if the connection broke.
    public var purges: Bool

    /// Creates the event; `purges` is true by default, except for ``ChatRoomLeaveReason/dropped``.
    public init(_ reason: ChatRoomLeaveReason = .quit, at time: Timestamp, purges: Bool? = nil) {
        self.reason = reason
        self.time = time
        self.purges = purges ?? (reason != .dropped)
    }
}

extension ChatRoomLeft: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .chatRoomLeft, "ChatRoomLeft", scope: .chatRoom, traits: .changesTimeline)

    package static let reason = FieldOf(3, "reason", \Self.reason)
    package static let time = EnvelopeFieldOf(.serverTime, "time", \Self.time)
    package static let purges = FieldOf(4, "purges", \Self.purges)
    package static let fieldList = FieldList(Self.init, reason, time, purges)
}

extension EventType {
    /// The type of ``ChatRoomLeft``.
    @inlinable public static var chatRoomLeft: EventType { EventType(rawValue: 0x31) }
}
