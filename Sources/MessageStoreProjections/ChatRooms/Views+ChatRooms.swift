/// This account's state in a chat room.
public struct ChatRoomState: Sendable, Hashable {
    /// Whether it is in the room.
    public let isJoined: Bool
    /// When it last joined, by the server's clock; nil if it never did.
    public let joinedTime: Timestamp?
    /// When it last left, by the server's clock, even if it has joined again since.
    public let leftTime: Timestamp?
    /// Why it last left.
    public let leaveReason: ChatRoomLeaveReason?

    /// Creates a state, for previews and tests.
    public init(
        isJoined: Bool = false, joinedTime: Timestamp? = nil, leftTime: Timestamp? = nil,
        leaveReason: ChatRoomLeaveReason? = nil
    ) {
        self.isJoined = isJoined
        self.joinedTime = joinedTime
        self.leftTime = leftTime
        self.leaveReason = leaveReason
    }

    /// The state of a room that this account never joined.
    public static let unknown = ChatRoomState()
}

extension Views {
    /// This account's state in a chat room. Costs one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func chatRoom(_ room: ConversationKey) throws -> ChatRoomState {
        guard let number = try snapshot.symbols.number(of: room), let row = try snapshot.row(ChatRooms.rooms, number)
        else { return .unknown }
        let wasLeft = row.flags.contains(.wasLeft)
        return ChatRoomState(
            isJoined: row.flags.contains(.isJoined),
            joinedTime: row.flags.contains(.wasJoined) ? Timestamp(milliseconds: row.joinedTime) : nil,
            leftTime: wasLeft ? Timestamp(milliseconds: row.leftTime) : nil,
            leaveReason: wasLeft ? ChatRoomLeaveReason(rawValue: row.leaveReason) : nil)
    }

    /// The key-value pairs of a chat room; empty once the room was purged.
    ///
    /// - Throws: `StoreError`.
    public borrowing func chatRoomEntries(in room: ConversationKey) throws -> [String: String] {
        guard let number = try snapshot.symbols.number(of: room) else { return [:] }
        let entries = try snapshot.allRows(ChatRooms.entries, under: number)
        return Dictionary(
            entries.map { ($0.key.key, String(decoding: $0.row.value, as: UTF8.self)) }, uniquingKeysWith: { $1 })
    }

    /// The chat rooms that this account is in, in the order in which they first appear in the log.
    ///
    /// Costs a step for each room that it ever joined.
    ///
    /// - Throws: `StoreError`.
    public borrowing func joinedChatRooms() throws -> [ConversationKey] {
        try snapshot.allRows(ChatRooms.rooms).filter { $0.row.flags.contains(.isJoined) }.map {
            try snapshot.symbols.conversation($0.key)
        }
    }
}
