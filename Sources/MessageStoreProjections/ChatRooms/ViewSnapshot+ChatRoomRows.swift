@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func chatRoomRow(_ room: ConversationNumber) throws -> ChatRoomRow? {
        try row(ChatRooms.rooms, room)
    }

    /// The entries of a chat room.
    borrowing func chatRoomEntries(
        in room: ConversationNumber
    ) throws -> [(key: ChatRoomEntryKey, value: String)] {
        var entries: [(key: ChatRoomEntryKey, value: String)] = []
        var cursor = try rows(ChatRooms.entries, from: ChatRoomEntryKey(room: room))
        while try cursor.next() {
            let key = try cursor.key(of: ChatRooms.entries)
            guard key.room == room else { break }
            entries.append((key, String(decoding: try cursor.row(of: ChatRooms.entries).value, as: UTF8.self)))
        }
        return entries
    }
}
