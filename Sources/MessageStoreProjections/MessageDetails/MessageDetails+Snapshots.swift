@_spi(Storage) internal import MessageStoreLog

extension MessageDetails {
    /// Takes over what the server told of all reactions to a message and of its counts.
    func replace(_ event: RecordView, _ rows: inout FoldRows) throws {
        let tellsReactions = event[MessageSnapshotReceived.Fields.tellsReactions]
        try forEachMessage(of: event, &rows) { serverID, rows in
            if tellsReactions { try replaceReactions(of: serverID, by: event, &rows) }
            try raiseCounts(of: serverID, by: event, &rows)
        }
    }

    /// What was told of reactions before is replaced; what is later by the server's clock stays.
    private func replaceReactions(of serverID: [UInt8], by event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        var set = LatestValue<NoValue>(isSet: true, by: event)
        let known = try rows.snapshot.reactionSet(of: serverID, in: conversation)
        let prefix = RowKey.detail(.reaction, of: serverID, in: conversation)
        if event.snapshotTime == nil {
            // Without a time of the server's it replaces all that was recorded before.
            set.time = max(known?.time ?? 0, try rows.snapshot.newestReactionTime(prefix))
        } else if let known, known.time > set.time {
            return
        }
        for key in try rows.snapshot.reactionKeys(prefix, upTo: set.time) {
            rows.remove(.messageDetails, key.span.bytes)
        }
        var fields = event.fields
        while let field = fields.next() {
            guard field.id == MessageSnapshotReceived.Fields.reactions.number else { continue }
            let reaction = FieldReader(field.bytes)
            let key = reaction.first(ReactionSummary.Parts.key)?.bytes.copied ?? []
            for user in reaction.firstPacked(ReactionSummary.Parts.users) ?? [] {
                try rows.keepLatest(set, prefix + key + RowKey.number(UserNumber(rawValue: user)))
            }
        }
        let key = RowKey.detail(.reactionSet, of: serverID, in: conversation)
        rows.put(.messageDetails, key.span.bytes, set.bytes.span.bytes)
    }

    /// Members who have read or received a message do not become fewer.
    private func raiseCounts(of serverID: [UInt8], by event: RecordView, _ rows: inout FoldRows) throws {
        if let read = event[MessageSnapshotReceived.Fields.readCount],
            let unread = event[MessageSnapshotReceived.Fields.unreadCount]
        {
            let key = RowKey.detail(.readCounts, of: serverID, in: event.conversationNumber)
            var told = LatestValue(isSet: true, by: event, value: ReadCountsValue(read: read, unread: unread))
            let known: LatestValue<ReadCountsValue>? = try rows.snapshot.decoded(.messageDetails, key.span.bytes)
            if let known { told.time = max(told.time, known.time) }
            if known.map({ $0.value.read <= read }) ?? true {
                rows.put(.messageDetails, key.span.bytes, told.bytes.span.bytes)
            }
        }
        if let delivered = event[MessageSnapshotReceived.Fields.deliveredCount] {
            let key = RowKey.detail(.deliveredCount, of: serverID, in: event.conversationNumber)
            var told: CountValue = try rows.snapshot.decoded(.messageDetails, key.span.bytes) ?? CountValue()
            told.count = max(told.count, delivered)
            rows.put(.messageDetails, key.span.bytes, told.bytes.span.bytes)
        }
    }
}

extension RecordView {
    /// The server's time of a snapshot; nil where it told none.
    fileprivate var snapshotTime: Timestamp? { serverTime == .unknown ? nil : serverTime }
}

extension ViewSnapshot {
    /// The latest time of a reaction to a message; 0 where there is none.
    @inline(never)
    fileprivate borrowing func newestReactionTime(_ prefix: [UInt8]) throws -> Int64 {
        var newest: Int64 = 0
        var cursor = try rows(.messageDetails, from: prefix.span.bytes)
        while try cursor.next(), cursor.key.removing(prefix) != nil {
            let row: LatestValue<NoValue> = try cursor.decoded()
            newest = max(newest, row.time)
        }
        return newest
    }

    /// As of when the server last told all reactions to a message.
    borrowing func reactionSet(
        of serverID: [UInt8], in conversation: ConversationNumber
    ) throws -> LatestValue<NoValue>? {
        try decoded(.messageDetails, RowKey.detail(.reactionSet, of: serverID, in: conversation).span.bytes)
    }

    /// The keys of the reactions to a message that are not later than a time.
    // Not inlined, as `forEachDetail`.
    @inline(never)
    fileprivate borrowing func reactionKeys(_ prefix: [UInt8], upTo time: Int64) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try rows(.messageDetails, from: prefix.span.bytes)
        while try cursor.next(), cursor.key.removing(prefix) != nil {
            let row: LatestValue<NoValue> = try cursor.decoded()
            if row.time <= time { keys.append(cursor.key.copied) }
        }
        return keys
    }
}
