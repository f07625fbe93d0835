@_spi(Storage) internal import MessageStoreLog

/// The projection of what belongs to messages besides their state: reactions, metadata, receipts by member, read counts,
/// marks, edits and the files that this device keeps.
///
/// `MessageName.swift` has the rule by which facts may come before their message (d18), its acknowledgement or
/// the discovery that it repeats another. Each row keeps the latest or the first of its values, so that the order of
/// events does not matter.
struct MessageDetails: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .messageDetails, version: 7, events: handlers.types, reads: [.messages, .timeline],
        traits: .unchangedByPlainMessages,
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
            if let reported = try rows.snapshot.row(
                MessageDetails.reactionSets, DetailKey(of: name, in: event.conversationNumber)),
                reported.time > change.time
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

extension MessageDetails {
    /// Notes that an event recorded another content of a message, by the time by which the one that is shown is chosen
    /// as well (d47). Contents stay in the log.
    func noteEdit(at time: Timestamp, _ event: RecordView, _ rows: inout FoldRows) throws {
        let edit = EditPart(time: UInt64(clamping: time.milliseconds), position: event.position)
        try forEachName(of: event, &rows) { name, rows in
            rows.put(Self.edits, DetailKey(edit, of: name, in: event.conversationNumber), NoValue())
        }
    }
}

extension ViewSnapshot {
    /// The edits of a message in their order: all, or so many after one.
    // Not inlined, as `forEachDetail`.
    @inline(never)
    borrowing func edits(
        of name: MessageName, in conversation: ConversationNumber, after last: EditPart?, limit: Int
    ) throws -> [EditPart] {
        var edits: [EditPart] = []
        guard limit > 0 else { return edits }
        let start = DetailKey(last ?? EditPart(), of: name, in: conversation)
        try forEachRow(MessageDetails.edits, from: start, under: start.prefix) { key, _ in
            if key.part != last { edits.append(key.part) }
            return edits.count < limit
        }
        return edits
    }
}

extension MessageDetails {
    /// Takes over the server's report of all reactions to a message and of its counts.
    func replace(_ event: RecordView, _ rows: inout FoldRows) throws {
        let tellsReactions = event[MessageSnapshotReceived.Fields.tellsReactions]
        try forEachName(of: event, &rows) { name, rows in
            if tellsReactions { try replaceReactions(of: name, by: event, &rows) }
            try raiseCounts(of: name, by: event, &rows)
        }
    }

    /// Replaces the reactions that were recorded before; later ones by the server's clock stay.
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
        let (named, counted) = Self.reported(by: event)
        try replaceReactions(of: name, by: set, counted, conversation, &rows)
        var given = ReactionRow(isSet: true, by: event)
        (given.time, given.value.since) = (set.time, set.time)
        for part in named {
            try rows.keepLatest(given, Self.reactions, DetailKey(part, of: name, in: conversation))
        }
        rows.put(Self.reactionSets, DetailKey(of: name, in: conversation), set)
    }

    /// - Parameter counted: The reactions for which the set counts more users than it names.
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

    /// The reactions with each user who is named, and the reactions with more users counted than named.
    static func reported(by event: RecordView) -> (named: [ReactionPart], counted: Set<[UInt8]>) {
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

extension ProjectionID {
    /// Facts about messages: reactions, metadata, receipts, pins, stars, edits, and the files that this device keeps.
    public static let messageDetails: ProjectionID = "MessageDetails"
}
