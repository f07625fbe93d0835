@_spi(Storage) internal import MessageStoreLog

/// The projection of timelines: messages in their conversation's order, how far they were cleared, and which
/// stretches are known to have no holes.
struct Timeline: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .timeline, version: 5,
        events: .types(
            Set.changingTimeline.union([
                .historyCleared, .conversationDeleted, .chatRoomLeft, .historyPageLoaded, .historyGapFound,
                .unreadCountReported, .offlineSyncStarted, .offlinePackageReceived, .offlineSyncCompleted,
                .sessionStateChanged, .conversationSummaryReceived,
            ])),
        reads: [.messages, .syncState],
        tables: [.timeline, .timelineFloors, .timelineRanges, .timelineHeads])

    var key = ByteWriter(capacity: 320)
    private var value = ByteWriter(capacity: 32)
    /// The heads that were asked for since the last finish, as their rows have them; nil for conversations without one.
    var heads = ConversationCache<TimelineHead?>()
    /// The session that arrivals belong to; nil after an event that may change it.
    var session: TimelineSession?

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try arrive(event, &rows)
        apply(changes.timeline, &rows)
        try apply(event, &rows)
    }

    private mutating func apply(_ changes: borrowing TimelineChanges, _ rows: inout FoldRows) {
        for change in changes.list {
            key.removeAll()
            key.appendBigEndian(change.conversation.rawValue)
            key.append(changes.order(of: change))
            if let row = change.after {
                value.removeAll()
                row.write(to: &value)
                rows.put(.timeline, key.bytes, value.bytes)
            } else {
                rows.remove(.timeline, key.bytes)
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
            if event[ConversationDeleted.Fields.alsoMessages],
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
                event.conversationNumber, before: event.order(HistoryGapFound.Fields.before, isLowerEnd: true), &rows)
        case .unreadCountReported, .conversationSummaryReceived: try noteReport(event, &rows)
        default: break
        }
    }

    private func raiseFloor(of conversation: ConversationNumber, to order: OrderKey, _ rows: inout FoldRows) throws {
        let key = RowKey.number(conversation)
        if let floor = try rows.snapshot.floor(of: conversation), floor >= order { return }
        rows.put(.timelineFloors, key.span.bytes, order.bytes.span.bytes)
    }

    var openConversations: Int { heads.conversations.count }

    /// Forgets what is kept decoded.
    mutating func finishBatch(_ rows: inout FoldRows) {
        heads.removeAll()
        session = nil
    }
}
