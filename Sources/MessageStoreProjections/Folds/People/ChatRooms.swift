@_spi(Storage) internal import MessageStoreLog

/// The projection of chat rooms: whether this account is in them, and their entries (B43–B45, d22).
struct ChatRooms: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .chatRooms, version: 1, events: handlers.types,
        tables: rooms, entries)
    static var rooms: Table<ConversationNumber, ChatRoomRow> { Table("chatRooms", 17) }
    static var entries: Table<ChatRoomEntryKey, HostValue> { Table("chatRoomEntries", 18, .sealed) }

    static let handlers = EventHandlers<Self>()
        .on(ChatRoomJoined.self) { fold, event, rows, _ in
            let time = event.record.serverTime?.milliseconds ?? 0
            try fold.update(event.record.conversationNumber, &rows) { row in
                row.flags.formUnion([.isJoined, .wasJoined])
                row.joinedTime = time
            }
        }
        .on(ChatRoomLeft.self) { fold, event, rows, _ in
            let reason = event[ChatRoomLeft.reason].rawValue
            let time = event.record.serverTime?.milliseconds ?? 0
            try fold.update(event.record.conversationNumber, &rows) { row in
                row.flags.remove(.isJoined)
                row.flags.insert(.wasLeft)
                row.leaveReason = reason
                row.leftTime = time
            }
            if event[ChatRoomLeft.purges] { try fold.removeEntries(of: event.record.conversationNumber, &rows) }
        }
        .on(ChatRoomEntriesChanged.self) { _, event, rows, _ in
            let room = event.record.conversationNumber
            for key in event[ChatRoomEntriesChanged.removed] {
                rows.remove(Self.entries, ChatRoomEntryKey(room: room, key: key))
            }
            for (key, value) in event[ChatRoomEntriesChanged.values] {
                rows.put(Self.entries, ChatRoomEntryKey(room: room, key: key), HostValue(value: Array(value.utf8)))
            }
        }

    private func update(_ room: ConversationNumber, _ rows: inout FoldRows, _ body: (inout ChatRoomRow) -> Void) throws
    {
        var row = try rows.snapshot.row(ChatRooms.rooms, room) ?? ChatRoomRow()
        body(&row)
        rows.put(Self.rooms, room, row)
    }

    private func removeEntries(of room: ConversationNumber, _ rows: inout FoldRows) throws {
        for entry in try rows.snapshot.allRows(Self.entries, under: room) { rows.remove(Self.entries, entry.key) }
    }
}

/// The key of a row of `chatRoomEntries`.
struct ChatRoomEntryKey: ViewKey {
    var room = ConversationNumber.none
    var key = ""

    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { { _ in 4 } }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &room, .conversation)
        parts.string("key", &key)
    }
}

extension RecordView {
    /// Whether this records that a chat room was left and that nothing of it is shown any longer (d22).
    var purgesChatRoom: Bool { type == .chatRoomLeft && self[ChatRoomLeft.purges] }
}

/// A row of `chatRooms`.
struct ChatRoomRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["isJoined", "wasJoined", "wasLeft"]
        static let isJoined = Flags(rawValue: 1)
        /// Joined at some time.
        static let wasJoined = Flags(rawValue: 2)
        /// Left at some time.
        static let wasLeft = Flags(rawValue: 4)
    }

    var flags: Flags = []
    var leaveReason: UInt8 = 0
    var joinedTime: Int64 = 0
    var leftTime: Int64 = 0

    init() {}

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("flags", &flags)
        parts.part("leaveReason", &leaveReason)
        parts.part("joinedTime", &joinedTime, .time)
        parts.part("leftTime", &leftTime, .time)
    }
}

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

extension ProjectionID {
    /// Chat rooms and their entries.
    public static let chatRooms: ProjectionID = "ChatRooms"
}
