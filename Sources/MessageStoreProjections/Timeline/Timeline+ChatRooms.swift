@_spi(Storage) internal import MessageStoreLog

// A chat room that is left and purged shows no message until its service delivers it again. The messages keep their
// states and identities, so that a copy is known for the message that it is; a snapshot of the message records it.

extension Timeline {
    /// The messages that were recorded before their chat rooms were left and are shown all the same, since they were
    /// delivered again or waited for the server; and after these, for each room, the event that left it.
    static var returns: Table<LocalKey, OrderRow> { Table("chatRoomReturns", 39) }

    /// Takes the messages of a chat room out of its timeline, except for those that wait for the server.
    mutating func purge(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let room = event.conversationNumber
        let newest = try rows.snapshot.newestTold(in: room, asOf: event)
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

    /// Leaves out what happens to messages that are not shown since their chat room was left, and shows those of which
    /// the server reports anything.
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

    /// The highest place that a message of a chat room had when the room was left; nil where it was not.
    borrowing func leftOrder(of room: ConversationNumber) throws -> OrderKey? {
        guard hasLeftRooms else { return nil }
        var cursor = try rowsBackwards(Timeline.returns, of: room)
        guard try cursor.next(), cursor.key.conversation == room else { return nil }
        return try cursor.row(of: Timeline.returns).order
    }
}
