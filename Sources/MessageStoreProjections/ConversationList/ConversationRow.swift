@_spi(Storage) internal import MessageStoreLog

/// A conversation's place in the list and what the list shows of it; words of people stand in the log.
struct ConversationRow: ViewRow, Equatable {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let isPinned = Flags(rawValue: 1)
        static let isMuted = Flags(rawValue: 2)
        /// Deleted from the list; the next message brings it back (d20).
        static let isHidden = Flags(rawValue: 4)
        /// Its timeline has a floor.
        static let isCleared = Flags(rawValue: 8)
        /// A hint of a change came; a snapshot has to confirm it (d23).
        static let isOutdated = Flags(rawValue: 16)
    }

    private static let headerSize = 44

    var kind: UInt8 = 0
    var flags: Flags = []
    /// The latest server time of what moved the conversation up, in milliseconds.
    var confirmedActivity: UInt64 = 0
    /// The local clock's time of the newest message that waits for the server's; 0 where none does (B53).
    var provisionalActivity: UInt64 = 0
    /// The message that the list shows; 0 where there is none.
    var lastMessage: UInt64 = 0
    /// The event that holds the draft; 0 where there is none.
    var draftPosition: UInt64 = 0
    /// When the draft was written, by the local clock; 0 where there is none.
    var draftTime: UInt64 = 0
    /// The order of the last message; empty where there is none.
    var lastOrder: [UInt8] = []
    /// What was known when the conversation was deleted: only newer messages bring it back.
    var hiddenUpTo: [UInt8] = []

    /// The time by which the list is ordered, in milliseconds.
    var activity: UInt64 { max(confirmedActivity, provisionalActivity, draftTime) }

    init() {}

    init?(_ row: RawSpan) {
        guard let kind = row.load(at: 0, as: UInt8.self), let flags = row.load(at: 1, as: UInt8.self),
            let orderLength = row.load(at: 2, as: UInt16.self), let activity = row.load(at: 4, as: UInt64.self),
            let lastMessage = row.load(at: 12, as: UInt64.self), let draft = row.load(at: 20, as: UInt64.self),
            let provisional = row.load(at: 28, as: UInt64.self), let draftTime = row.load(at: 36, as: UInt64.self),
            Self.headerSize + Int(orderLength) <= row.byteCount
        else { return nil }
        self.kind = kind
        self.flags = Flags(rawValue: flags)
        confirmedActivity = activity
        provisionalActivity = provisional
        self.lastMessage = lastMessage
        draftPosition = draft
        self.draftTime = draftTime
        let orderEnd = Self.headerSize + Int(orderLength)
        lastOrder = row.extracting(Self.headerSize..<orderEnd).copied
        hiddenUpTo = row.extracting(orderEnd..<row.byteCount).copied
    }

    func write(to writer: inout ByteWriter) {
        writer.append(kind)
        writer.append(flags.rawValue)
        writer.append(UInt16(clamping: lastOrder.count))
        writer.append(confirmedActivity)
        writer.append(lastMessage)
        writer.append(draftPosition)
        writer.append(provisionalActivity)
        writer.append(draftTime)
        writer.append(lastOrder)
        writer.append(hiddenUpTo)
    }

    /// The row's place in `conversationOrder`: pinned first, then the latest activity; nil where it is not listed.
    func listKey(_ conversation: UInt32) -> [UInt8]? {
        guard !flags.contains(.isHidden), kind != ConversationKind.chatRoom.rawValue else { return nil }
        let rank = Self.rank(isPinned: flags.contains(.isPinned))
        return [rank] + RowKey.number(~activity) + RowKey.number(conversation)
    }

    static func rank(isPinned: Bool) -> UInt8 { isPinned ? 0 : 1 }
}
