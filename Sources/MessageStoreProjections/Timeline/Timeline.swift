@_spi(Storage) internal import MessageStoreLog

/// The projection of timelines: messages in their conversation's order, how far they were cleared, and which
/// stretches are known to have no holes.
struct Timeline: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .timeline, version: 2,
        events: .types(
            Set.changingTimeline.union([
                .historyCleared, .conversationDeleted, .chatRoomLeft, .historyPageLoaded, .historyGapFound,
                .unreadCountReported, .offlineSyncStarted, .offlinePackageReceived, .offlineSyncCompleted,
                .sessionStateChanged,
            ])),
        reads: [.messages, .syncState],
        tables: [.timeline, .timelineFloors, .timelineRanges, .timelineHeads])

    var key = ByteWriter(capacity: 320)
    private var value = ByteWriter(capacity: 32)
    /// The heads that this batch asked for, as they stand in their rows; nil for conversations without one.
    var heads = ConversationCache<TimelineHead?>()
    /// The session that arrivals belong to; nil after an event that may change it.
    var session: TimelineSession?

    mutating func apply(_ event: RecordView, _ views: inout Views, _ changes: inout FoldChanges) throws {
        try arrive(event, &views)
        apply(changes.timeline, &views)
        try apply(event, &views)
    }

    private mutating func apply(_ changes: borrowing TimelineChanges, _ views: inout Views) {
        for change in changes.list {
            key.removeAll()
            key.appendBigEndian(change.conversation)
            key.append(changes.order(of: change))
            if let row = change.after {
                value.removeAll()
                row.write(to: &value)
                views.put(.timeline, key.bytes, value.bytes)
            } else {
                views.remove(.timeline, key.bytes)
            }
        }
    }

    private mutating func apply(_ event: RecordView, _ views: inout Views) throws {
        switch event.type {
        case .offlineSyncStarted, .offlinePackageReceived, .offlineSyncCompleted, .sessionStateChanged:
            session = nil
        case .historyCleared:
            if let order = try event.order(HistoryCleared.Fields.upTo) ?? views.newestOrder(in: event.conversation) {
                try raiseFloor(of: event.conversation, to: order, &views)
            }
        case .conversationDeleted:
            if event[ConversationDeleted.Fields.alsoMessages], let order = try views.newestOrder(in: event.conversation)
            {
                try raiseFloor(of: event.conversation, to: order, &views)
            }
        case .chatRoomLeft:
            if event.purgesChatRoom, let order = try views.newestOrder(in: event.conversation) {
                try raiseFloor(of: event.conversation, to: order, &views)
            }
        case .historyPageLoaded: try addPage(event, &views)
        case .historyGapFound:
            try openGap(
                event.conversation, before: event.order(HistoryGapFound.Fields.before, isLowerEnd: true), &views)
        case .unreadCountReported: try noteReport(event, &views)
        default: break
        }
    }

    private func raiseFloor(of conversation: UInt32, to order: [UInt8], _ views: inout Views) throws {
        let key = RowKey.number(conversation)
        if let floor = try views.floor(of: conversation), !floor.lexicographicallyPrecedes(order) { return }
        views.put(.timelineFloors, key.span.bytes, order.span.bytes)
    }

    /// Forgets what is kept decoded.
    mutating func finishBatch(_ views: inout Views) {
        heads.removeAll()
        session = nil
    }
}
