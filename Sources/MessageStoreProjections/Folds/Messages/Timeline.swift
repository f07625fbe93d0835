@_spi(Storage) internal import MessageStoreLog

/// The projection of timelines: messages in their conversation's order, how far they were cleared, and which stretches
/// are known to have no gaps.
struct Timeline: HandlingProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .timeline, version: 8, events: handlers.types, reads: [.messages, .syncState],
        traits: [.identifiesEvents, .neededByAdmission],
        tables: messages, floors, kept, ranges, heads, waits, returns)
    static var messages: Table<PlaceKey, TimelineRow> { Table("timeline", 5, .inChunks) }
    static var floors: Table<ConversationNumber, FloorRow> { Table("timelineFloors", 6) }
    /// The messages below a floor that are not cleared.
    static var kept: Table<LocalKey, NoValue> { Table(in: floors) }
    static var ranges: Table<PlaceKey, TimelineRange> { Table("timelineRanges", 7, [.noted, .rare]) }
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

// A chat room that is left and purged shows no message until its service delivers it again. The messages keep their
// states and identities, so that a copy is known for the message that it is; a snapshot of the message records it.

extension Timeline {
    /// The messages that were recorded before their chat rooms were left and are shown all the same, since they were
    /// delivered again or waited for the server; and after these, for each room, the event that left it.
    static var returns: Table<LocalKey, OrderRow> { Table("chatRoomReturns", 39, .rare) }

    /// Takes the messages of a chat room out of its timeline, except for messages that wait for the server.
    mutating func purge(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let room = event.conversationNumber
        let newest = try rows.snapshot.newestReported(in: room, asOf: event)
        changes.newestBefore = newest
        let order = try max(newest.order ?? .lowest, rows.snapshot.leftOrder(of: room) ?? .lowest)
        for (key, _) in try rows.snapshot.allRows(Self.returns, under: room) { rows.remove(Self.returns, key) }
        for (key, row) in try rows.snapshot.allRows(Self.messages, under: room) {
            if OrderKey.isUnsent(key.order.bytes.span.bytes) {
                rows.put(Self.returns, LocalKey(conversation: room, local: row.local), OrderRow(.lowest))
            } else {
                try Self.change(row.local, isShown: false, rows.snapshot, &changes.timeline)
            }
        }
        let left = LocalKey(conversation: room, local: LocalMessageID(event.position.rawValue))
        rows.put(Self.returns, left, OrderRow(order))
    }

    /// Leaves out what happens to messages that are not shown since their chat room was left, and shows the ones about
    /// which the server reports anything.
    mutating func applyReturns(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        try changes.removeAll { change in
            guard let local = (change.after ?? change.before)?.local, local.rawValue != event.position.rawValue else {
                return false
            }
            return try rows.snapshot.isForgotten(local, in: change.conversation)
        }
        guard event.type == .messageSnapshotReceived else { return }
        let room = event.conversationNumber
        try event.forEachReference { reference in
            guard let named = try rows.snapshot.local(of: MessageName(reference), in: room) else { return }
            let shown = try rows.snapshot.shownMessage(named, in: room)
            for local in try [shown, rows.snapshot.original(of: shown)].compactMap(\.self)
            where try rows.snapshot.isMessage(local, in: room) && rows.snapshot.isForgotten(local, in: room) {
                rows.put(Self.returns, LocalKey(conversation: room, local: local), OrderRow(.lowest))
                try Self.change(local, isShown: true, rows.snapshot, &changes)
            }
        }
    }

    /// Not inlined: the compiler's optimiser fails on a record that is held in a fold.
    @inline(never)
    private static func change(
        _ local: LocalMessageID, isShown: Bool, _ snapshot: borrowing ViewSnapshot, _ changes: inout TimelineChanges
    ) throws {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)) else { return }
        let state = try snapshot.row(Messages.states, local) ?? MessageState()
        let order = OrderKey(record, state)
        let row = Messages.row(record, state)
        let names = Messages.namesAccount(record, state)
        changes.append(
            conversation: record.conversationNumber, before: isShown ? nil : row, after: isShown ? row : nil,
            record.recording, namesAccount: (names && !isShown, names && isShown)
        ) { $0.append(order.bytes) }
    }
}

extension ViewSnapshot {
    /// Whether a message has not been delivered again since its chat room was left and purged.
    borrowing func isForgotten(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> Bool {
        guard hasLeftRooms else { return false }
        var isForgotten = false
        let start = LocalKey(conversation: conversation, local: local)
        // The event that left the room comes after all its messages.
        try forEachRow(Timeline.returns, from: start, under: conversation) { key, _ in
            isForgotten = key.local != local
            return false
        }
        return isForgotten
    }

    /// The highest place that a message of a chat room had when the room was left; nil if it was not.
    borrowing func leftOrder(of room: ConversationNumber) throws -> OrderKey? {
        guard hasLeftRooms else { return nil }
        var cursor = try rowsBackwards(Timeline.returns, of: room)
        guard try cursor.next(), cursor.key.conversation == room else { return nil }
        return try cursor.row(of: Timeline.returns).order
    }
}

/// The row of a closed stretch whose gap may turn out to be none: at its end a message arrived that may have overtaken
/// others.
struct TimelineWait: ViewRow {
    /// A sync that began here or later and completes proves that the gap holds nothing.
    var joinsAfter: UInt64 = 0
    /// A live message of this session proves it as well; 0 if only a sync does.
    var session: UInt64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("joinsAfter", &joinsAfter)
        parts.part("session", &session)
    }
}

extension ProjectionID {
    /// Messages in their conversation's order, and which stretches have no gaps.
    public static let timeline: ProjectionID = "Timeline"
}

extension ViewSnapshot {
    /// Whether any chat room was left and purged, which is rare.
    @inline(__always) var hasLeftRooms: Bool { hasRows(Timeline.returns) }
}
