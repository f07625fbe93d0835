@_spi(Storage) internal import MessageStoreLog

/// The projection of chat rooms: whether this account is in them, and their entries (B43–B45, d22).
struct ChatRooms: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .chatRooms, version: 1, events: .types([.chatRoomJoined, .chatRoomLeft, .chatRoomEntriesChanged]),
        tables: [rooms, entries])
    static var rooms: Table<ConversationNumber, ChatRoomRow> { Table("chatRooms", 17) }
    static var entries: Table<ChatRoomEntryKey, HostValue> { Table("chatRoomEntries", 18) }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let time = event.serverTime?.milliseconds ?? 0
        switch event.type {
        case .chatRoomJoined:
            try update(event.conversationNumber, &rows) { row in
                row.flags.formUnion([.isJoined, .wasJoined])
                row.joinedTime = time
            }
        case .chatRoomLeft:
            let reason = event[ChatRoomLeft.reason].rawValue
            try update(event.conversationNumber, &rows) { row in
                row.flags.remove(.isJoined)
                row.flags.insert(.wasLeft)
                row.leaveReason = reason
                row.leftTime = time
            }
            if event.purgesChatRoom { try removeEntries(of: event.conversationNumber, &rows) }
        case .chatRoomEntriesChanged:
            for key in event[ChatRoomEntriesChanged.removed] {
                rows.remove(Self.entries, ChatRoomEntryKey(room: event.conversationNumber, key: key))
            }
            for (key, value) in event[ChatRoomEntriesChanged.values] {
                let key = ChatRoomEntryKey(room: event.conversationNumber, key: key)
                rows.put(Self.entries, key, HostValue(value: Array(value.utf8)))
            }
        default: break
        }
    }

    private func update(_ room: ConversationNumber, _ rows: inout FoldRows, _ body: (inout ChatRoomRow) -> Void) throws
    {
        var row = try rows.snapshot.chatRoomRow(room) ?? ChatRoomRow()
        body(&row)
        rows.put(Self.rooms, room, row)
    }

    private func removeEntries(of room: ConversationNumber, _ rows: inout FoldRows) throws {
        for entry in try rows.snapshot.chatRoomEntries(of: room) { rows.remove(Self.entries, entry.key) }
    }
}

/// The key of a row of `chatRoomEntries`.
struct ChatRoomEntryKey: ViewKey {
    var room = ConversationNumber.none
    var key = ""

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &room, .conversation)
        parts.string("key", &key)
    }
}

extension RecordView {
    /// Whether this tells that a chat room was left and that nothing of it is shown any longer (d22).
    var purgesChatRoom: Bool { type == .chatRoomLeft && self[ChatRoomLeft.purges] }
}
