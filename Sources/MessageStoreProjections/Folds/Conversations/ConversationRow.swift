@_spi(Storage) internal import MessageStoreLog

/// A conversation's place in the list and what the list shows of it; the contents of messages are in the log.
struct ConversationRow: ViewRow, MutingRow {
    /// The last kind that an event set, else the key's; no event sets a chat room's.
    var kind: UInt8 = 0
    var flags: Flags = []
    /// The latest server time of what moved the conversation up, in milliseconds.
    var confirmedActivity: UInt64 = 0
    /// The local clock's time of the newest message that waits for the server's; 0 if none does (B53).
    var provisionalActivity: UInt64 = 0
    /// The message that the list shows; 0 if there is none.
    var lastMessage: UInt64 = 0
    /// The event that holds the draft; 0 if there is none.
    var draftPosition: UInt64 = 0
    /// When the draft was written; 0 if there is none.
    var draftTime: UInt64 = 0
    /// The order of the last message; empty if there is none.
    var lastOrder = OrderKey.belowAll
    /// The newest place that was known when the conversation was deleted: only newer messages list it again.
    var hiddenUpTo = OrderKey.belowAll
    /// The highest place up to which a server counted.
    var reportedUpTo = OrderKey.belowAll
    /// The latest activity in a server's summary, in milliseconds; 0 if no summary named one.
    var reportedActivity: UInt64 = 0
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
        parts.part("reportedActivity", &reportedActivity, .time)
        parts.part("mutedUntil", &mutedUntil, .time)
        parts.order("lastOrder", &lastOrder, count: Int(lastOrderLength))
        parts.order("hiddenUpTo", &hiddenUpTo, count: Int(hiddenUpToLength))
        parts.order("reportedUpTo", &reportedUpTo)
    }

    /// The row's place in `conversationOrder`: the archive last, pinned first, then the latest activity; nil if it is
    /// not listed.
    func listKey(_ conversation: ConversationNumber) -> ListKey? {
        guard isListed, kind != ConversationKind.chatRoom.rawValue else { return nil }
        let rank = ListRank(isPinned: flags.contains(.isPinned), isArchived: flags.contains(.isArchived))
        return ListKey(rank, activity: activity, conversation)
    }
}

/// A part of the conversation list, in the order of the list; each is ordered by activity.
enum ListRank: UInt8, CaseIterable, RowValue {
    case pinned, other, pinnedArchived, otherArchived

    init(isPinned: Bool, isArchived: Bool) {
        self =
            switch (isArchived, isPinned) {
            case (false, true): .pinned
            case (false, false): .other
            case (true, true): .pinnedArchived
            case (true, false): .otherArchived
            }
    }

    var isArchived: Bool { self == .pinnedArchived || self == .otherArchived }
}

/// The key of a row of `conversationOrder`: the place of a conversation in the list, in its part the latest activity
/// first.
struct ListKey: ViewKey, Hashable {
    private(set) var rank = ListRank.pinned
    private var invertedActivity: UInt64 = 0
    private(set) var conversation = ConversationNumber.none

    init() {}

    /// The beginning of a part of the list.
    init(_ rank: ListRank) { self.rank = rank }

    init(_ rank: ListRank, activity: UInt64, _ conversation: ConversationNumber) {
        self.rank = rank
        invertedActivity = ~activity
        self.conversation = conversation
    }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("rank", &rank)
        parts.part("invertedActivity", &invertedActivity)
        parts.part("conversation", &conversation, .conversation)
    }
}

/// A row of `conversationOrder`: the fields that a list of some kinds asks of each conversation.
struct KindRow: ViewRow {
    var kind: UInt8 = 0

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("kind", &kind, .kind)
    }
}

/// Kinds of conversations, a bit for each.
struct KindSet {
    private var bits = SIMD4<UInt64>()

    init(_ kinds: Set<ConversationKind>) {
        for kind in kinds { bits[Int(kind.rawValue >> 6)] |= 1 << UInt64(kind.rawValue & 63) }
    }

    func contains(_ kind: UInt8) -> Bool { bits[Int(kind >> 6)] >> UInt64(kind & 63) & 1 == 1 }
}

extension RowCursor {
    /// Moves to the next row of `conversationOrder` of some kinds, nil for any, and answers its key; nil after the last. A
    /// list of a rare kind passes over many, so only what decides is read of these.
    mutating func nextListed(of kinds: KindSet?, includesArchive: Bool) throws -> ListKey? {
        while try next() {
            if let kinds {
                guard value.byteCount == 1, let kind = value.load(at: 0, as: UInt8.self) else {
                    throw StoreError.unreadableRow(of: table, at: key)
                }
                let rank = key.load(at: 0, as: UInt8.self) ?? 0
                guard kinds.contains(kind) || !includesArchive && rank >= ListRank.pinnedArchived.rawValue else {
                    continue
                }
            }
            let key = try key(of: ConversationList.order)
            return key.rank.isArchived && !includesArchive ? nil : key
        }
        return nil
    }
}

extension ViewSnapshot {
    /// The kind of a conversation: the last that an event set, else the key's. It is the key's as well if the rows that
    /// hold it are being rebuilt, or are none that a host's projection reads.
    borrowing func kind(of conversation: ConversationNumber) throws -> ConversationKind {
        guard scope.sees(ConversationList.conversations.viewTable),
            let row = try row(ConversationList.conversations, conversation)
        else {
            return try symbols.conversation(conversation).kind
        }
        return row.conversationKind
    }

    /// When the newest message that waits for the server and may be shown in the list was queued; 0 if none does.
    borrowing func newestProvisionalTime(in conversation: ConversationNumber) throws -> UInt64 {
        let floor = try floor(of: conversation) ?? .belowAll
        var newest: UInt64 = 0
        var cursor = try rowsBackwards(
            Timeline.messages, before: PlaceKey(conversation: conversation, order: .aboveAll))
        while try cursor.next(), cursor.key.conversation == conversation,
            floor.precedes(cursor.key.order)
        {
            let row = try cursor.row(of: Timeline.messages)
            guard row.flags.contains(.updatesLastMessage) else { continue }
            // Below a message of the server, a time by this device's clock moves the conversation no more.
            guard row.flags.isTimeProvisional || OrderKey.isUnsent(cursor.key.order) else { break }
            let record = try record(at: Position(row.local.rawValue), namedBy: Timeline.messages.viewTable)
            newest = max(newest, UInt64(clamping: record.now.milliseconds))
        }
        return newest
    }

    /// The newest message that may be shown in the list, unsent ones included.
    borrowing func lastMessage(in conversation: ConversationNumber) throws -> (local: LocalMessageID, order: OrderKey)?
    {
        let clearing = try clearing(of: conversation)
        var cursor = try rowsBackwards(
            Timeline.messages, before: PlaceKey(conversation: conversation, order: .aboveAll))
        while try cursor.next(), cursor.key.conversation == conversation {
            let order = cursor.key.order
            guard clearing.floor.precedes(order) || !clearing.kept.isEmpty else { return nil }
            let row = try cursor.row(of: Timeline.messages)
            guard clearing.shows(row.local, at: order) else { continue }
            if row.flags.contains(.updatesLastMessage) { return (row.local, OrderKey(order)) }
        }
        return nil
    }
}
