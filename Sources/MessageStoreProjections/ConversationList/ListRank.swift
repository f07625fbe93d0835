@_spi(Storage) internal import MessageStoreLog

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

    /// Where a part of the list begins.
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

/// A row of `conversationOrder`: what a list of some kinds asks of each conversation.
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
