@_spi(Storage) internal import MessageStoreLog

/// The projection of timelines: messages in their conversation's order, how far they were cleared, and which stretches
/// are known to have no gaps.
struct Timeline: HandlingProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .timeline, version: 8, events: handlers.types, reads: [.messages, .syncState],
        tables: messages, floors, kept, ranges, heads, waits, returns)
    static var messages: Table<PlaceKey, TimelineRow> { Table("timeline", 5, isInChunks: true) }
    static var floors: Table<ConversationNumber, FloorRow> { Table("timelineFloors", 6) }
    /// The messages below a floor that are not cleared.
    static var kept: Table<LocalKey, NoValue> { Table("timelineFloors", 6) }
    static var ranges: Table<PlaceKey, TimelineRange> { Table("timelineRanges", 7) }
    static var heads: Table<ConversationNumber, TimelineHead> { Table("timelineHeads", 8) }
    static var waits: Table<PlaceKey, TimelineWait> { Table("timelineWaits", 41) }

    static let handlers = EventHandlers<Self>(following: .with(.changesTimeline))
        .on(.offlineSyncStarted, .offlinePackageReceived, .sessionStateChanged) { fold, _, _, _ in fold.session = nil }
        .on(.offlineSyncCompleted) { fold, event, rows, changes in
            changes.joined = try fold.joinWaiting(event, &rows)
        }
        .on(.historyCleared) { fold, event, rows, _ in
            try fold.clear(event, upTo: event.clearedUpTo, &rows)
        }
        .on(ConversationDeleted.self) { fold, event, rows, _ in
            guard event[ConversationDeleted.alsoMessages] else { return }
            try fold.clear(event.record, upTo: nil, &rows)
        }
        .on(.chatRoomLeft) { fold, event, rows, _ in
            if event.purgesChatRoom { try fold.forgetRanges(of: event.conversationNumber, &rows) }
        }
        .on(.historyPageLoaded) { fold, event, rows, _ in try fold.addPage(event, &rows) }
        .on(.historyGapFound) { fold, event, rows, _ in
            let place = event.order(HistoryGapFound.before.field, isLowerEnd: true)
            try fold.openGap(event.conversationNumber, before: place, &rows)
        }
        .on(.unreadCountReported, .conversationSummaryReceived) { fold, event, rows, _ in
            try fold.noteReport(event, &rows)
        }

    var key = ByteWriter(capacity: 320)
    /// The heads that were asked for since the last finish, as their rows have them; nil for conversations without one.
    var openHeads = ConversationCache<TimelineHead?>()
    /// The session that arrivals belong to; nil after an event that may change it.
    var session: TimelineSession?

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try arrive(event, &rows)
        if event.purgesChatRoom {
            try purge(event, &rows, &changes)
        } else if rows.snapshot.hasLeftRooms {
            try applyReturns(event, &rows, &changes.timeline)
        }
        apply(changes.timeline, &rows)
        try handle(event, &rows, &changes)
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

    /// Clears a conversation up to a place, but for the messages that the event keeps, or for nil all of it.
    private func clear(_ event: RecordView, upTo place: OrderKey?, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        let newest = try place ?? rows.snapshot.newestOrder(in: conversation)
        let left = try place == nil ? rows.snapshot.leftOrder(of: conversation) : nil
        guard let order = [newest, left].compactMap(\.self).max() else { return }
        let former = try rows.snapshot.clearing(of: conversation)
        guard former.floor < order || !former.kept.isEmpty else { return }
        var kept: Set<LocalMessageID> = []
        for local in former.kept {
            if let place = try rows.snapshot.place(of: local), order < place { kept.insert(local) }
        }
        for (local, place) in try rows.snapshot.messagesKept(by: event)
        where place <= order && (former.floor < place || former.kept.contains(local)) {
            kept.insert(local)
        }
        for local in former.kept.subtracting(kept) {
            rows.remove(Self.kept, LocalKey(conversation: conversation, local: local))
        }
        for local in kept.subtracting(former.kept) {
            rows.put(Self.kept, LocalKey(conversation: conversation, local: local), NoValue())
        }
        rows.put(Self.floors, conversation, FloorRow(order: max(order, former.floor), keepsSome: !kept.isEmpty))
    }

    var openConversations: Int { openHeads.conversations.count }

    /// Forgets what is kept decoded.
    mutating func finishBatch(_ rows: inout FoldRows) {
        openHeads.removeAll()
        session = nil
    }
}
