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
