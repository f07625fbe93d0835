@_spi(Storage) internal import MessageStoreLog

/// The projection of chat rooms: whether this account is in them, and their entries (B43–B45, d22).
struct ChatRooms: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .chatRooms, version: 1, events: .types([.chatRoomJoined, .chatRoomLeft, .chatRoomEntriesChanged]),
        tables: [.chatRooms, .chatRoomEntries])

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let time = event.serverTime?.milliseconds ?? 0
        switch event.type {
        case .chatRoomJoined:
            try update(event.conversationNumber, &rows) { row in
                row.flags.formUnion([.isJoined, .wasJoined])
                row.joinedTime = time
            }
        case .chatRoomLeft:
            let reason = event[ChatRoomLeft.Fields.reason].rawValue
            try update(event.conversationNumber, &rows) { row in
                row.flags.remove(.isJoined)
                row.flags.insert(.wasLeft)
                row.leaveReason = reason
                row.leftTime = time
            }
            if event.purgesChatRoom { try removeEntries(of: event.conversationNumber, &rows) }
        case .chatRoomEntriesChanged:
            for key in event[ChatRoomEntriesChanged.Fields.removed] {
                rows.remove(.chatRoomEntries, RowKey.entry(key, of: event.conversationNumber).span.bytes)
            }
            for (key, value) in event[ChatRoomEntriesChanged.Fields.values] {
                rows.put(
                    .chatRoomEntries, RowKey.entry(key, of: event.conversationNumber).span.bytes,
                    Array(value.utf8).span.bytes)
            }
        default: break
        }
    }

    private func update(_ room: ConversationNumber, _ rows: inout FoldRows, _ body: (inout ChatRoomRow) -> Void) throws
    {
        var row = try rows.snapshot.chatRoomRow(room) ?? ChatRoomRow()
        body(&row)
        rows.put(.chatRooms, RowKey.number(room).span.bytes, row.bytes.span.bytes)
    }

    private func removeEntries(of room: ConversationNumber, _ rows: inout FoldRows) throws {
        var keys: [[UInt8]] = []
        try rows.snapshot.forEachChatRoomEntry(of: room) { key, _ in keys.append(RowKey.number(room) + key.copied) }
        for key in keys { rows.remove(.chatRoomEntries, key.span.bytes) }
    }
}

extension RecordView {
    /// Whether this tells that a chat room was left and that nothing of it is shown any longer (d22).
    var purgesChatRoom: Bool { type == .chatRoomLeft && self[ChatRoomLeft.Fields.purges] }
}
