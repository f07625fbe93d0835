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
