@_spi(Storage) internal import MessageStoreLog

extension ViewTable {
    /// What the rows hold; where there are several types, the key tells which.
    var rowTypes: [any ViewRow.Type] {
        switch self {
        case .identities, .unknownEvents, .owedReceipts: [NumberRow.self]
        case .messageStates, .parkedStates: [MessageState.self]
        case .outbox: [OutboxRow.self]
        case .receiptMarks: [ReceiptMark.self]
        case .timeline, .timelineMarks: [TimelineRow.self]
        case .timelineFloors: [OrderRow.self]
        case .timelineRanges: [TimelineRange.self]
        case .timelineHeads: [TimelineHead.self]
        case .conversations: [ConversationRow.self]
        case .conversationInfo: [ConversationInfo.self]
        case .conversationOrder, .conversationIndex: [NoValue.self]
        case .unread: [UnreadRow.self]
        case .unreadTotals: [UnreadTotal.self]
        case .members: [MemberRow.self]
        case .memberLists: [MemberList.self]
        case .chatRooms: [ChatRoomRow.self]
        case .chatRoomEntries, .syncCursors: [HostValue.self]
        case .profiles: [ProfileRow.self, NumberRow.self]
        case .teams: [TeamRow.self, NumberRow.self]
        case .syncState: [SyncRow.self]
        case .messageDetails: DetailKind.allCases.map(\.rowType)
        case .parkedReceipts: [ReceiptFacts.self]
        case .pendingChanges: [PendingChangeRow.self]
        }
    }
}

extension DetailKind {
    var rowType: any ViewRow.Type {
        switch self {
        case .reaction: LatestValue<NoValue>.self
        case .expansion: LatestValue<PairValue>.self
        case .receipt: ReceiptTimes.self
        case .readCounts: LatestValue<ReadCountsValue>.self
        case .receiptFacts: ReceiptFacts.self
        }
    }
}

/// A row that is nothing but its key.
struct NoValue: ViewRow {
    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {}
}

/// A row that is a value of the host's, whatever it is.
struct HostValue: ViewRow {
    var value: [UInt8] = []

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("value", &value)
    }
}
