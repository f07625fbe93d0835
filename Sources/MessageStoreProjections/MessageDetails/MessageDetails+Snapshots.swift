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
        let (named, counted) = Self.told(by: event)
        for (key, row) in try rows.snapshot.reactions(prefix, since: set.time) {
            let reaction = Array(key.dropFirst(prefix.count).dropLast(4))
            if let left = row.replaced(by: set, countsOthers: counted.contains(reaction)) {
                rows.put(.messageDetails, key.span.bytes, left.bytes.span.bytes)
            } else {
                rows.remove(.messageDetails, key.span.bytes)
            }
        }
        var given = ReactionRow(isSet: true, by: event)
        (given.time, given.value.since) = (set.time, set.time)
        for ownKey in named { try rows.keepLatest(given, prefix + ownKey) }
        let key = RowKey.detail(.reactionSet, of: serverID, in: conversation)
        rows.put(.messageDetails, key.span.bytes, set.bytes.span.bytes)
    }

    /// The reactions with a user who is named, as the rows' own keys have them, and the reactions of which more users are
    /// counted than named.
    private static func told(by event: RecordView) -> (named: [[UInt8]], counted: Set<[UInt8]>) {
        var named: [[UInt8]] = []
        var counted: Set<[UInt8]> = []
        var fields = event.fields
        while let field = fields.next() {
            guard field.id == MessageSnapshotReceived.Fields.reactions.number else { continue }
            let reaction = FieldReader(field.bytes)
            let key = reaction.first(ReactionSummary.Parts.key)?.bytes.copied ?? []
            let users = reaction.firstPacked(ReactionSummary.Parts.users) ?? []
            let count = reaction.first(ReactionSummary.Parts.count)?.number ?? 0
            if count > UInt64(Set(users).count) { counted.insert(key) }
            for user in users { named.append(key + RowKey.number(UserNumber(rawValue: user))) }
        }
        return (named, counted)
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
            let row: ReactionRow = try cursor.decoded()
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

    /// The reactions to a message whose earliest change is not later than a time, with their keys.
    // Not inlined, as `forEachDetail`.
    @inline(never)
    fileprivate borrowing func reactions(
        _ prefix: [UInt8], since time: Int64
    ) throws -> [(key: [UInt8], row: ReactionRow)] {
        var reactions: [(key: [UInt8], row: ReactionRow)] = []
        var cursor = try rows(.messageDetails, from: prefix.span.bytes)
        while try cursor.next(), cursor.key.removing(prefix) != nil {
            let row: ReactionRow = try cursor.decoded()
            if row.value.since <= time { reactions.append((cursor.key.copied, row)) }
        }
        return reactions
    }
}
