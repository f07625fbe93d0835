@_spi(Storage) internal import MessageStoreLog

/// The projection of what belongs to messages besides their state: reactions, metadata, receipts by member, read counts,
/// marks, edits and the files that this device keeps.
///
/// `MessageDetails+Names.swift` has the rule by which facts may come before their message (d18), its acknowledgement or
/// the discovery that it repeats another. Each row keeps the latest or the first of its values, so that the order of
/// events does not matter.
struct MessageDetails: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .messageDetails, version: 7, events: handlers.types, reads: [.messages, .timeline],
        tables: reactions, metadata, receipts, readCounts, reactionSets, deliveredCounts, receiptsSent, marks, edits,
        files, owed, marked, fileOrder, fileTotals)

    static let handlers = EventHandlers<Self>(following: .with(.changesTimeline))
        .on(.reactionAdded, .reactionRemoved) { fold, event, rows, _ in try fold.react(event, &rows) }
        .on(.messageMetadataChanged) { fold, event, rows, _ in try fold.expand(event, &rows) }
        .on(.messageDelivered, .messageReadByPeer) { fold, event, rows, _ in try fold.receipt(event, &rows) }
        .on(.messageModified) { fold, event, rows, _ in
            try fold.noteEdit(at: event.serverTime ?? .unknown, event, &rows)
        }
        .on(.messageSnapshotReceived) { fold, event, rows, _ in
            try fold.replace(event, &rows)
            if event.contentType != 0, let time = event[MessageSnapshotReceived.Fields.modifiedTime] {
                try fold.noteEdit(at: time, event, &rows)
            }
        }
        .on(MessagePinned.self) { fold, event, rows, _ in
            try fold.choose(.pin, event[MessagePinned.isPinned], event[MessagePinned.time], event.record, &rows)
        }
        .on(MessageStarred.self) { fold, event, rows, _ in
            try fold.choose(.star, event[MessageStarred.isStarred], event[MessageStarred.time], event.record, &rows)
        }
        .on(.attachmentStateChanged) { fold, event, rows, _ in try fold.noteFile(event, &rows) }
        .on(.messageSent, .messageDuplicateSuppressed) { fold, event, rows, _ in try fold.join(by: event, &rows) }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try owe(changes.timeline, event, &rows)
        try handle(event, &rows, &changes)
    }

    private func react(_ event: RecordView, _ rows: inout FoldRows) throws {
        let key = event.type == .reactionAdded ? ReactionAdded.key.field : ReactionRemoved.key.field
        let reaction = event.bytes(of: key)?.copied ?? []
        let part = ReactionPart(reaction: reaction, user: event.actorNumber)
        let change = ReactionRow(change: event)
        try forEachName(of: event, &rows) { name, rows in
            // A change that is older than a set of all reactions is in it, or was taken away before.
            if let told = try rows.snapshot.row(
                MessageDetails.reactionSets, DetailKey(of: name, in: event.conversationNumber)),
                told.time > change.time
            {
                return
            }
            let key = DetailKey(part, of: name, in: event.conversationNumber)
            var row = try rows.snapshot.row(Self.reactions, key) ?? change
            row.note(change)
            rows.put(Self.reactions, key, row)
        }
    }

    /// A key that is both set and removed is removed.
    private func expand(_ event: RecordView, _ rows: inout FoldRows) throws {
        try forEachName(of: event, &rows) { name, rows in
            func keep(_ value: LatestValue<PairValue>, _ key: String, _ rows: inout FoldRows) throws {
                let key = DetailKey(MetadataPart(key: key), of: name, in: event.conversationNumber)
                try rows.keepLatest(value, Self.metadata, key)
            }
            for (key, value) in event[MessageMetadataChanged.values] {
                try keep(LatestValue(isSet: true, by: event, value: PairValue(value)), key, &rows)
            }
            for key in event[MessageMetadataChanged.removed] {
                try keep(LatestValue(isSet: false, by: event), key, &rows)
            }
        }
    }

    private func receipt(_ event: RecordView, _ rows: inout FoldRows) throws {
        let isRead = event.type == .messageReadByPeer
        var counts: LatestValue<ReadCountsValue>?
        if let read = event[MessageReadByPeer.Fields.readCount],
            let unread = event[MessageReadByPeer.Fields.unreadCount]
        {
            counts = LatestValue(isSet: true, by: event, value: ReadCountsValue(read: read, unread: unread))
        }
        let isOfMember = event.actorNumber != .none && event.actorNumber != .account
        guard counts != nil || isOfMember else { return }
        try forEachName(of: event, &rows) { name, rows in
            if let counts {
                try rows.keepLatest(counts, Self.readCounts, DetailKey(of: name, in: event.conversationNumber))
            }
            guard isOfMember else { return }
            let key = DetailKey(ReceiptPart(member: event.actorNumber), of: name, in: event.conversationNumber)
            var times = try rows.snapshot.row(Self.receipts, key) ?? ReceiptTimes()
            times.note(isRead: isRead, at: event.serverTime)
            rows.put(Self.receipts, key, times)
        }
    }

    /// Calls `body` with the names under which is kept what an event records of messages.
    func forEachName(
        of event: RecordView, _ rows: inout FoldRows, _ body: (MessageName, inout FoldRows) throws -> Void
    ) throws {
        try event.forEachReference { reference in
            for name in try rows.snapshot.names(for: MessageName(reference), in: event.conversationNumber) {
                try body(name, &rows)
            }
        }
    }
}

extension FoldRows {
    mutating func keepLatest<Key, Value>(
        _ value: LatestValue<Value>, _ table: Table<Key, LatestValue<Value>>, _ key: Key
    ) throws {
        if let old = try snapshot.row(table, key), old.time > value.time { return }
        put(table, key, value)
    }
}
