@_spi(Storage) internal import MessageStoreLog

extension MessageDetails {
    /// Takes over the server's report of all reactions to a message and of its counts.
    func replace(_ event: RecordView, _ rows: inout FoldRows) throws {
        let tellsReactions = event[MessageSnapshotReceived.Fields.tellsReactions]
        try forEachName(of: event, &rows) { name, rows in
            if tellsReactions { try replaceReactions(of: name, by: event, &rows) }
            try raiseCounts(of: name, by: event, &rows)
        }
    }

    /// Replaces the reactions that were recorded before; those that are later by the server's clock stay.
    private func replaceReactions(of name: MessageName, by event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        var set = LatestValue<NoValue>(isSet: true, by: event)
        let known = try rows.snapshot.row(MessageDetails.reactionSets, DetailKey(of: name, in: conversation))
        if event.snapshotTime == nil {
            // Without a time of the server's it replaces all that was recorded before.
            set.time = try rows.snapshot.details(Self.reactions, of: name, in: conversation)
                .reduce(known?.time ?? 0) { max($0, $1.row.time) }
        } else if let known, known.time > set.time {
            return
        }
        let (named, counted) = Self.told(by: event)
        try replaceReactions(of: name, by: set, counted, conversation, &rows)
        var given = ReactionRow(isSet: true, by: event)
        (given.time, given.value.since) = (set.time, set.time)
        for part in named {
            try rows.keepLatest(given, Self.reactions, DetailKey(part, of: name, in: conversation))
        }
        rows.put(Self.reactionSets, DetailKey(of: name, in: conversation), set)
    }

    /// - Parameter counted: The reactions of which the set counts more users than it names.
    func replaceReactions(
        of name: MessageName, by set: LatestValue<NoValue>, _ counted: Set<[UInt8]>,
        _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        for (part, row) in try rows.snapshot.details(Self.reactions, of: name, in: conversation)
        where row.value.since <= set.time {
            let left = row.replaced(by: set, countsOthers: counted.contains(part.reaction))
            rows.set(Self.reactions, DetailKey(part, of: name, in: conversation), left)
        }
    }

    /// The reactions with each user who is named, and the reactions of which more users are counted than named.
    static func told(by event: RecordView) -> (named: [ReactionPart], counted: Set<[UInt8]>) {
        var named: [ReactionPart] = []
        var counted: Set<[UInt8]> = []
        var fields = event.fields
        while let field = fields.next() {
            guard field.id == MessageSnapshotReceived.Fields.reactions.number else { continue }
            let reaction = FieldReader(field.bytes)
            let key = reaction.first(ReactionSummary.key.number)?.bytes.copied ?? []
            let users = reaction.firstPacked(ReactionSummary.users.number) ?? []
            let count = reaction.first(ReactionSummary.count.number)?.number ?? 0
            if count > UInt64(Set(users).count) { counted.insert(key) }
            for user in users { named.append(ReactionPart(reaction: key, user: UserNumber(rawValue: user))) }
        }
        return (named, counted)
    }

    /// Members who have read or received a message do not become fewer.
    private func raiseCounts(of name: MessageName, by event: RecordView, _ rows: inout FoldRows) throws {
        if let read = event[MessageSnapshotReceived.Fields.readCount],
            let unread = event[MessageSnapshotReceived.Fields.unreadCount]
        {
            let key = DetailKey<ReadCountsPart>(of: name, in: event.conversationNumber)
            var counts = LatestValue(isSet: true, by: event, value: ReadCountsValue(read: read, unread: unread))
            let known = try rows.snapshot.row(Self.readCounts, key)
            if let known { counts.time = max(counts.time, known.time) }
            if known.map({ $0.value.read <= read }) ?? true { rows.put(Self.readCounts, key, counts) }
        }
        if let delivered = event[MessageSnapshotReceived.Fields.deliveredCount] {
            let key = DetailKey<DeliveredCountPart>(of: name, in: event.conversationNumber)
            let known = try rows.snapshot.row(Self.deliveredCounts, key) ?? CountValue()
            rows.put(Self.deliveredCounts, key, CountValue(count: max(known.count, delivered)))
        }
    }
}

extension RecordView {
    /// The server's time of a snapshot; nil if it reported none.
    fileprivate var snapshotTime: Timestamp? { serverTime == .unknown ? nil : serverTime }
}
