/// A conversation's place in the list and what the list shows of it; the contents of messages are in the log.
struct ConversationRow: ViewRow, MutingRow {
    /// The last kind that an event set, else the key's; no event sets that of a chat room.
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
    /// When the draft was written; 0 where there is none.
    var draftTime: UInt64 = 0
    /// The order of the last message; empty where there is none.
    var lastOrder = OrderKey.belowAll
    /// The newest place that was known when the conversation was deleted: only newer messages list it again.
    var hiddenUpTo = OrderKey.belowAll
    /// The highest place up to which a server counted.
    var reportedUpTo = OrderKey.belowAll
    /// The latest activity in a server's summary, in milliseconds; 0 if no summary named one.
    var toldActivity: UInt64 = 0
    /// Until when it is muted or restricted to mentions; 0 for good, and where it is neither.
    var mutedUntil: UInt64 = 0

    /// The last kind that an event set, else the key's.
    var conversationKind: ConversationKind { ConversationKind(rawValue: kind) }

    /// Whether the list shows it, unless it is a chat room; a draft is shown as long as it is there.
    var isListed: Bool { draftPosition != 0 || flags.isDisjoint(with: [.isHidden, .isUnlisted]) }

    /// The time by which the list is ordered, in milliseconds.
    var activity: UInt64 { max(confirmedActivity, provisionalActivity, draftTime) }

    init() {}

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        var lastOrderLength = UInt16(clamping: lastOrder.bytes.count)
        var hiddenUpToLength = UInt16(clamping: hiddenUpTo.bytes.count)
        parts.part("kind", &kind, .kind)
        parts.part("flags", &flags)
        parts.part("lastOrderLength", &lastOrderLength, .length)
        parts.part("hiddenUpToLength", &hiddenUpToLength, .length)
        parts.part("confirmedActivity", &confirmedActivity, .time)
        parts.part("lastMessage", &lastMessage)
        parts.part("draftPosition", &draftPosition)
        parts.part("provisionalActivity", &provisionalActivity, .time)
        parts.part("draftTime", &draftTime, .time)
        parts.part("toldActivity", &toldActivity, .time)
        parts.part("mutedUntil", &mutedUntil, .time)
        parts.order("lastOrder", &lastOrder, count: Int(lastOrderLength))
        parts.order("hiddenUpTo", &hiddenUpTo, count: Int(hiddenUpToLength))
        parts.order("reportedUpTo", &reportedUpTo)
    }

    /// The row's place in `conversationOrder`: the archive last, pinned first, then the latest activity; nil where it
    /// is not listed.
    func listKey(_ conversation: ConversationNumber) -> ListKey? {
        guard isListed, kind != ConversationKind.chatRoom.rawValue else { return nil }
        let rank = ListRank(isPinned: flags.contains(.isPinned), isArchived: flags.contains(.isArchived))
        return ListKey(rank, activity: activity, conversation)
    }
}
