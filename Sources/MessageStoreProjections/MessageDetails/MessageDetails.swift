@_spi(Storage) internal import MessageStoreLog

/// The projection of what belongs to messages besides their content: reactions, metadata, receipts by member, read
/// counts.
///
/// A message is named by its server id, so that facts may come before their message or its acknowledgement (d18). Facts
/// that were recorded under another of its ids move to that one as soon as the store knows of both, and facts about a
/// repeat apply to its original as well. Each row keeps the latest or the first of its values, so that the order of
/// events does not matter. A fact that names a message by a local id while no server knows it is ignored.
struct MessageDetails: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .messageDetails, version: 5,
        events: .types(
            Set.with(.changesTimeline).union([
                .reactionAdded, .reactionRemoved, .messageMetadataChanged, .readReceiptRequested, .readReceiptSent,
            ])),
        reads: [.messages, .timeline],
        tables: [
            reactions, metadata, receipts, readCounts, receiptFacts, reactionSets, deliveredCounts, receiptsSent, owed,
            parkedFacts,
        ])

    private var owedReceipts = OwedReceipts()

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try owedReceipts.apply(changes.timeline, event, &rows)
        switch event.type {
        case .reactionAdded, .reactionRemoved: try react(event, &rows)
        case .messageMetadataChanged: try expand(event, &rows)
        case .messageDelivered, .messageReadByPeer: try receipt(event, &rows)
        case .messageSnapshotReceived: try replace(event, &rows)
        case .messageSent, .messageDuplicateSuppressed: try rename(by: event, &rows)
        default: break
        }
    }

    mutating func finishBatch(_ rows: inout FoldRows) {
        owedReceipts.finishBatch()
    }

    private func react(_ event: RecordView, _ rows: inout FoldRows) throws {
        let key = event.type == .reactionAdded ? ReactionAdded.key.field : ReactionRemoved.key.field
        let reaction = event.bytes(of: key)?.copied ?? []
        let part = ReactionPart(reaction: reaction, user: event.actorNumber)
        let change = ReactionRow(change: event)
        try forEachMessage(of: event, &rows) { serverID, rows in
            // A change that is older than a set of all reactions is in it, or was taken away before.
            if let told = try rows.snapshot.reactionSet(of: serverID, in: event.conversationNumber),
                told.time > change.time
            {
                return
            }
            let key = DetailKey(part, of: serverID, in: event.conversationNumber)
            var row = try rows.snapshot.row(Self.reactions, key) ?? change
            row.note(change)
            rows.put(Self.reactions, key, row)
        }
    }

    /// A key that is both set and removed is removed.
    private func expand(_ event: RecordView, _ rows: inout FoldRows) throws {
        try forEachMessage(of: event, &rows) { serverID, rows in
            func keep(_ value: LatestValue<PairValue>, _ key: String, _ rows: inout FoldRows) throws {
                let key = DetailKey(MetadataPart(key: key), of: serverID, in: event.conversationNumber)
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
        try forEachMessage(of: event, &rows) { serverID, rows in
            if let counts {
                try rows.keepLatest(
                    counts, Self.readCounts, DetailKey(of: serverID, in: event.conversationNumber))
            }
            guard isOfMember else { return }
            let key = DetailKey(
                ReceiptPart(member: event.actorNumber), of: serverID, in: event.conversationNumber)
            var times = try rows.snapshot.row(Self.receipts, key) ?? ReceiptTimes()
            times.note(isRead: isRead, at: event.serverTime)
            rows.put(Self.receipts, key, times)
        }
    }

    func forEachMessage(
        of event: RecordView, _ rows: inout FoldRows, _ body: (_ serverID: [UInt8], inout FoldRows) throws -> Void
    ) throws {
        try event.forEachReference { reference in
            let ids = try rows.snapshot.detailIDs(of: MessageName(reference), in: event.conversationNumber)
            for id in ids { try body(id, &rows) }
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
