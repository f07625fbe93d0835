/// This account entered a chat room.
public struct ChatRoomJoined: Hashable, Sendable {
    /// When, by the server's clock.
    public var time: Timestamp

    /// Puts the event together.
    public init(at time: Timestamp) {
        self.time = time
    }
}

/// How this account came out of a chat room.
public enum ChatRoomLeaveReason: UInt8, Hashable, Sendable, Codable {
    /// It left.
    case quit = 0
    /// It entered another room (B44).
    case switched = 1
    /// The connection broke; a quick return needs no new entry (B45).
    case dropped = 2
    /// Somebody removed it.
    case kicked = 3
    /// The room was closed.
    case destroyed = 4
}

/// This account is no longer in a chat room.
public struct ChatRoomLeft: Hashable, Sendable {
    /// How.
    public var reason: ChatRoomLeaveReason
    /// When, by the server's clock.
    public var time: Timestamp
    /// Whether the room's messages and entries are no longer shown here (d22). Kept by default where the connection broke.
    public var purges: Bool

    /// Puts the event together; `purges` is true by default, except for ``ChatRoomLeaveReason/dropped``.
    public init(_ reason: ChatRoomLeaveReason = .quit, at time: Timestamp, purges: Bool? = nil) {
        self.reason = reason
        self.time = time
        self.purges = purges ?? (reason != .dropped)
    }
}

/// The key-value pairs of a chat room changed.
public struct ChatRoomEntriesChanged: Hashable, Sendable {
    /// The pairs to set.
    public var values: [String: String]
    /// The keys to remove.
    public var removed: [String]

    /// Puts the event together.
    public init(set values: [String: String] = [:], remove removed: [String] = []) {
        self.values = values
        self.removed = removed
    }
}
