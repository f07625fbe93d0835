@_spi(Storage) public import MessageStoreLog

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
        guard let number = try snapshot.symbols.number(of: room), let row = try snapshot.chatRoomRow(number)
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
        return Dictionary(
            try snapshot.chatRoomEntries(in: number).map { ($0.key.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    /// The chat rooms that this account is in, in the order in which they first appear in the log.
    ///
    /// Costs a step for each room that it ever joined.
    ///
    /// - Throws: `StoreError`.
    public borrowing func joinedChatRooms() throws -> [ConversationKey] {
        var rooms: [ConversationKey] = []
        var cursor = try snapshot.rows(ChatRooms.rooms.place)
        while try cursor.next() {
            guard try cursor.row(of: ChatRooms.rooms).flags.contains(.isJoined) else { continue }
            rooms.append(try snapshot.symbols.conversation(cursor.key(of: ChatRooms.rooms)))
        }
        return rooms
    }
}
