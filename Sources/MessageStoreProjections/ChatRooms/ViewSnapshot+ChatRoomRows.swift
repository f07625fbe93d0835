@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func chatRoomRow(_ room: UInt32) throws -> ChatRoomRow? {
        try decoded(.chatRooms, at: room)
    }

    /// Calls `body` with the key and the value of each entry of a chat room.
    borrowing func forEachChatRoomEntry(of room: UInt32, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Void)
        throws
    {
        var cursor = try rows(.chatRoomEntries, from: RowKey.number(room).span.bytes)
        while try cursor.next(), cursor.key.loadBigEndian(at: 0, as: UInt32.self) == room {
            try body(cursor.key.extracting(4..<cursor.key.byteCount), cursor.value)
        }
    }
}
