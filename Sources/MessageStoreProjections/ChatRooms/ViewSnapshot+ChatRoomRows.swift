@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func chatRoomRow(_ room: ConversationNumber) throws -> ChatRoomRow? {
        try decoded(.chatRooms, at: room)
    }

    /// Calls `body` with the key and the value of each entry of a chat room.
    borrowing func forEachChatRoomEntry(
        of room: ConversationNumber, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Void
    )
        throws
    {
        var cursor = try rows(.chatRoomEntries, from: RowKey.number(room).span.bytes)
        while try cursor.next(), cursor.key.conversation == room {
            try body(cursor.key.extracting(4..<cursor.key.byteCount), cursor.value)
        }
    }
}
