@_spi(Storage) internal import MessageStoreLog

/// The projection of chat rooms: whether this account is in them, and their entries (B43–B45, d22).
struct ChatRooms: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .chatRooms, version: 1, events: handlers.types,
        tables: rooms, entries)
    static var rooms: Table<ConversationNumber, ChatRoomRow> { Table("chatRooms", 17) }
    static var entries: Table<ChatRoomEntryKey, HostValue> { Table("chatRoomEntries", 18) }

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

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &room, .conversation)
        parts.string("key", &key)
    }
}

extension RecordView {
    /// Whether this records that a chat room was left and that nothing of it is shown any longer (d22).
    var purgesChatRoom: Bool { type == .chatRoomLeft && self[ChatRoomLeft.purges] }
}
