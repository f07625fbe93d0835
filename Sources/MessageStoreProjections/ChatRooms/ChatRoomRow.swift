@_spi(Storage) internal import MessageStoreLog

/// A row of `chatRooms`.
struct ChatRoomRow: ViewRow, Equatable {
    struct Flags: OptionSet {
        let rawValue: UInt8
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

    init?(_ row: RawSpan) {
        guard let flags = row.load(at: 0, as: UInt8.self), let reason = row.load(at: 1, as: UInt8.self),
            let joined = row.load(at: 2, as: Int64.self), let left = row.load(at: 10, as: Int64.self)
        else { return nil }
        self.flags = Flags(rawValue: flags)
        leaveReason = reason
        joinedTime = joined
        leftTime = left
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 18)
        writer.append(flags.rawValue)
        writer.append(leaveReason)
        writer.append(joinedTime)
        writer.append(leftTime)
        return writer.bytes.copied
    }
}

extension Views {
    borrowing func chatRoom(_ room: UInt32) throws -> ChatRoomRow? {
        try decoded(.chatRooms, at: room)
    }

    /// Calls `body` with the key and the value of each entry of a chat room.
    borrowing func forEachEntry(of room: UInt32, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Void) throws {
        var cursor = try rows(.chatRoomEntries, from: RowKey.number(room).span.bytes)
        while try cursor.next(), cursor.key.loadBigEndian(at: 0, as: UInt32.self) == room {
            try body(cursor.key.extracting(4..<cursor.key.byteCount), cursor.value)
        }
    }
}
