@_spi(Storage) public import MessageStoreLog

/// How this account stands with a chat room.
public struct ChatRoomState: Sendable, Hashable {
    /// Whether it is in the room.
    public let isJoined: Bool
    /// When it last entered, by the server's clock; nil where it never did.
    public let joinedTime: Timestamp?
    /// When it last came out, by the server's clock, also where it has entered again since.
    public let leftTime: Timestamp?
    /// How it last came out.
    public let leaveReason: ChatRoomLeaveReason?

    /// Puts a state together, for previews and tests.
    public init(
        isJoined: Bool = false, joinedTime: Timestamp? = nil, leftTime: Timestamp? = nil,
        leaveReason: ChatRoomLeaveReason? = nil
    ) {
        self.isJoined = isJoined
        self.joinedTime = joinedTime
        self.leftTime = leftTime
        self.leaveReason = leaveReason
    }

    /// A room that this account never entered.
    public static let unknown = ChatRoomState()
}

extension Views {
    /// How this account stands with a chat room; one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func chatRoom(_ room: ConversationKey) throws -> ChatRoomState {
        guard let number = try symbols.existingNumber(of: room), let row = try chatRoom(number) else { return .unknown }
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
    public borrowing func chatRoomEntries(of room: ConversationKey) throws -> [String: String] {
        var entries: [String: String] = [:]
        guard let number = try symbols.existingNumber(of: room) else { return entries }
        try forEachEntry(of: number) { entries[$0.string] = $1.string }
        return entries
    }

    /// The chat rooms that this account is in, in the order in which this store first heard of them.
    ///
    /// Costs a step for each room that it ever entered or left.
    ///
    /// - Throws: `StoreError`.
    public borrowing func joinedChatRooms() throws -> [ConversationKey] {
        var rooms: [ConversationKey] = []
        var cursor = try rows(.chatRooms)
        while try cursor.next() {
            let row: ChatRoomRow = try cursor.decoded()
            let number: UInt32 = try cursor.keyNumber(at: 0)
            if row.flags.contains(.isJoined) { rooms.append(try symbols.conversation(number)) }
        }
        return rooms
    }
}
