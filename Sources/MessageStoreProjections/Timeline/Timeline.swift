@_spi(Storage) internal import MessageStoreLog

/// The projection of timelines: messages in their conversation's order, how far they were cleared, and which stretches
/// are known to have no gaps.
struct Timeline: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .timeline, version: 5,
        events: .types(
            Set.with(.changesTimeline).union([
                .historyCleared, .conversationDeleted, .chatRoomLeft, .historyPageLoaded, .historyGapFound,
                .unreadCountReported, .offlineSyncStarted, .offlinePackageReceived, .offlineSyncCompleted,
                .sessionStateChanged, .conversationSummaryReceived,
            ])),
        reads: [.messages, .syncState],
        tables: messages, floors, ranges, heads)
    static var messages: Table<PlaceKey, TimelineRow> { Table("timeline", 5) }
    static var floors: Table<ConversationNumber, OrderRow> { Table("timelineFloors", 6) }
    static var ranges: Table<PlaceKey, TimelineRange> { Table("timelineRanges", 7) }
    static var heads: Table<ConversationNumber, TimelineHead> { Table("timelineHeads", 8) }

    var key = ByteWriter(capacity: 320)
    /// The heads that were asked for since the last finish, as their rows have them; nil for conversations without one.
    var openHeads = ConversationCache<TimelineHead?>()
    /// The session that arrivals belong to; nil after an event that may change it.
    var session: TimelineSession?

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try arrive(event, &rows)
        apply(changes.timeline, &rows)
        try apply(event, &rows)
    }

    private mutating func apply(_ changes: borrowing TimelineChanges, _ rows: inout FoldRows) {
        for change in changes.list {
            PlaceKey.write(change.conversation, changes.order(of: change), to: &key)
            if let row = change.after {
                rows.put(Self.messages, at: key.bytes, row)
            } else {
                rows.remove(Self.messages, at: key.bytes)
            }
        }
    }

    private mutating func apply(_ event: RecordView, _ rows: inout FoldRows) throws {
        switch event.type {
        case .offlineSyncStarted, .offlinePackageReceived, .offlineSyncCompleted, .sessionStateChanged:
            session = nil
        case .historyCleared:
            if let order = try event.clearedUpTo
                ?? rows.snapshot.newestOrder(in: event.conversationNumber)
            {
                try raiseFloor(of: event.conversationNumber, to: order, &rows)
            }
        case .conversationDeleted:
            if event[ConversationDeleted.alsoMessages],
                let order = try rows.snapshot.newestOrder(in: event.conversationNumber)
            {
                try raiseFloor(of: event.conversationNumber, to: order, &rows)
            }
        case .chatRoomLeft:
            if event.purgesChatRoom, let order = try rows.snapshot.newestOrder(in: event.conversationNumber) {
                try raiseFloor(of: event.conversationNumber, to: order, &rows)
            }
        case .historyPageLoaded: try addPage(event, &rows)
        case .historyGapFound:
            try openGap(
                event.conversationNumber, before: event.order(HistoryGapFound.before.field, isLowerEnd: true), &rows)
        case .unreadCountReported, .conversationSummaryReceived: try noteReport(event, &rows)
        default: break
        }
    }

    private func raiseFloor(of conversation: ConversationNumber, to order: OrderKey, _ rows: inout FoldRows) throws {
        if let floor = try rows.snapshot.floor(of: conversation), floor >= order { return }
        rows.put(Self.floors, conversation, OrderRow(order))
    }

    var openConversations: Int { openHeads.conversations.count }

    /// Forgets what is kept decoded.
    mutating func finishBatch(_ rows: inout FoldRows) {
        openHeads.removeAll()
        session = nil
    }
}
