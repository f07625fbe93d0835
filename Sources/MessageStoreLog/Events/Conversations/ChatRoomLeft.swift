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

/// Why this account left a chat room.
public struct ChatRoomLeaveReason: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It left.
    public static let quit = ChatRoomLeaveReason(rawValue: 0)
    /// It joined another room.
    public static let switched = ChatRoomLeaveReason(rawValue: 1)
    /// The connection broke; after a quick reconnect it need not join again.
    public static let dropped = ChatRoomLeaveReason(rawValue: 2)
    /// Somebody removed it.
    public static let kicked = ChatRoomLeaveReason(rawValue: 3)
    /// The room was closed.
    public static let destroyed = ChatRoomLeaveReason(rawValue: 4)

    package static let known: [ChatRoomLeaveReason: String] = [
        .quit: "quit", .switched: "switched", .dropped: "dropped", .kicked: "kicked", .destroyed: "destroyed",
    ]
}
