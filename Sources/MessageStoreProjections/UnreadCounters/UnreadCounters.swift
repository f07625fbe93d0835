@_spi(Storage) internal import MessageStoreLog

/// The projection of unread counts, by conversation and summed by kind, level and archive.
///
/// Counts change only with the membership of the set that defines them, so they cannot drift (I5, d5–d9).
struct UnreadCounters: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .unreadCounters, version: 7,
        events: .types(
            Set.changingTimeline.union([
                .conversationRead, .historyCleared, .chatRoomLeft, .conversationDeleted, .unreadCountReported,
                .conversationMarkedUnread, .conversationMuted, .conversationArchived, .conversationSummaryReceived,
                .conversationCreated, .conversationUpdated, .conversationSnapshotReceived,
            ])),
        reads: [.messages, .timeline, .settings], tables: [.unread, .unreadTotals])

    private struct Entry {
        let original: UnreadRow
        var row: UnreadRow
    }

    /// The rows that were touched since the last finish, decoded.
    private var cache = ConversationCache<Entry>()
    private var value = ByteWriter()

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try apply(changes.timeline, of: event, &rows)
        if !event.type.isMessage { try apply(event, changes.settings, &rows) }
    }

    private mutating func apply(
        _ changes: borrowing TimelineChanges, of event: RecordView, _ rows: inout FoldRows
    ) throws {
        for change in changes.list where !Self.keepsWeight(change) {
            var before = Self.weight(of: change.before, namesAccount: change.namesAccount.before)
            var after = Self.weight(of: change.after, namesAccount: change.namesAccount.after)
            guard before != after else { continue }
            let isOpen = try cache[slot(change.conversation, &rows)].row.report.isOpen
            if isOpen {
                if try Self.isFromHistory(change.before, event, rows) { before = UnreadWeight() }
                if try Self.isFromHistory(change.after, event, rows) { after = UnreadWeight() }
            }
            let added = after - before
            let isHistory = (change.after ?? change.before)?.flags.contains(.countsAboveMarker) == true
            try update(change.conversation, &rows) { row in
                if isHistory, !isOpen, !row.countsHistory { return }
                guard row.countedFrom.precedes(changes.order(of: change)) else { return }
                guard row.add(added) else { throw Self.impossibleCount(change.conversation) }
            }
        }
    }

    /// Whether history brought a message, for which a number alone stands while it is in force (d31); also where the store is
    /// configured to count all that history brings, of which the row does not tell.
    ///
    /// - Parameter event: The event that is folded, which is not among the records below it.
    private static func isFromHistory(
        _ row: TimelineRow?, _ event: RecordView, _ rows: borrowing FoldRows
    ) throws -> Bool {
        guard let row else { return false }
        if row.local.rawValue == event.position.rawValue { return event.origin == .history }
        return try rows.snapshot.isFromHistory(row.local)
    }

    private static func impossibleCount(_ conversation: ConversationNumber) -> StoreError {
        StoreError.impossibleCount(in: .unread, at: RowKey.number(conversation).span.bytes)
    }

    /// Whether a message weighs the same as before, as where its state alone changes; spares reads of mentions.
    private static func keepsWeight(_ change: TimelineChange) -> Bool {
        guard let before = change.before, let after = change.after, before.local == after.local,
            change.namesAccount.before == change.namesAccount.after
        else { return false }
        return before.flags.symmetricDifference(after.flags).isDisjoint(with: [.counts, .mentionsAccount])
    }

    private static func weight(of row: TimelineRow?, namesAccount: Bool) -> UnreadWeight {
        guard let row, row.flags.contains(.counts) else { return UnreadWeight() }
        guard row.flags.contains(.mentionsAccount) else { return UnreadWeight(messages: 1) }
        return UnreadWeight(messages: 1, mentions: 1, everyoneMentions: namesAccount ? 0 : 1)
    }

    private mutating func apply(_ event: RecordView, _ settings: [Setting], _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        switch event.type {
        case .conversationRead:
            try update(conversation, &rows) { $0.flags.remove(.isMarkedUnread) }
            try read(conversation, upTo: event.order(ConversationRead.Fields.upTo), &rows)
        case .historyCleared: try read(conversation, upTo: event.order(HistoryCleared.Fields.upTo), &rows)
        case .chatRoomLeft:
            if event.purgesChatRoom { try read(conversation, upTo: nil, &rows) }
        case .conversationDeleted:
            try update(conversation, &rows) { $0.flags.subtract([.isMarkedUnread, .isArchived]) }
            try read(conversation, upTo: nil, &rows)
        case .unreadCountReported: try report(event, &rows)
        case .conversationSummaryReceived: try summarise(event, settings, &rows)
        case .conversationMarkedUnread:
            guard settings.contains(.mark) else { return }
            try setFlag(.isMarkedUnread, event[ConversationMarkedUnread.Fields.isMarked], conversation, &rows)
        case .conversationMuted:
            guard settings.contains(.mute), let muting = Muting(event) else { return }
            try update(conversation, &rows) { $0.muting = muting }
        case .conversationArchived:
            guard settings.contains(.archive) else { return }
            try setFlag(.isArchived, event[ConversationArchived.Fields.isArchived], conversation, &rows)
        case .conversationCreated, .conversationUpdated, .conversationSnapshotReceived:
            guard let kind = try event.toldKind(rows.snapshot.symbols) else { return }
            try update(conversation, &rows) { $0.kind = kind.rawValue }
        default: break
        }
    }

    /// What a server's list tells changes the same as the single events; the marker comes first.
    private mutating func summarise(
        _ event: RecordView, _ settings: [Setting], _ rows: inout FoldRows
    ) throws {
        let conversation = event.conversationNumber
        if let order = event.order(ConversationSummaryReceived.Fields.readUpTo) {
            try read(conversation, upTo: order, isMarker: true, &rows)
        }
        try report(event, &rows)
        if settings.contains(.mute), let muting = Muting(event) {
            try update(conversation, &rows) { $0.muting = muting }
        }
        if let isArchived = event[ConversationSummaryReceived.Fields.isArchived], settings.contains(.archive) {
            try setFlag(.isArchived, isArchived == 1, conversation, &rows)
        }
        if let isMarked = event[ConversationSummaryReceived.Fields.isMarkedUnread], settings.contains(.mark) {
            try setFlag(.isMarkedUnread, isMarked == 1, conversation, &rows)
        }
    }

    /// The newest place that this store heard of, by a message or by a server's count; empty where there is none.
    private mutating func newestKnown(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws
        -> OrderKey
    {
        let newest = try rows.snapshot.newestTold(in: conversation) ?? .belowAll
        return max(newest, try cache[slot(conversation, &rows)].row.countedUpTo)
    }

    /// Moves the read marker up, never down.
    ///
    /// - Parameters:
    ///   - place: nil for all that is known.
    ///   - isMarker: Whether the server tells where its marker is, now as before, and not that something was read.
    private mutating func read(
        _ conversation: ConversationNumber, upTo place: OrderKey?, isMarker: Bool = false, _ rows: inout FoldRows
    ) throws {
        let row = try cache[slot(conversation, &rows)].row
        let order = try place ?? newestKnown(conversation, &rows)
        var endsReport = place == nil
        if row.report.isOpen, !endsReport {
            let newest = try rows.snapshot.newestTold(in: conversation)
            endsReport = row.endsOpenReport(readingUpTo: order, isMarker: isMarker, newest: newest)
        }
        try recount(conversation, &rows) { $0.read(upTo: order, endsOpenReport: endsReport) }
    }

    private mutating func report(_ event: RecordView, _ rows: inout FoldRows) throws {
        guard let told = event.reportedCount else { return }
        let conversation = event.conversationNumber
        let place = try rows.snapshot.place(of: told, in: conversation)
        let newest = try newestKnown(conversation, &rows)
        try recount(conversation, &rows) { row in
            row.take(UnreadReport(told, upTo: place ?? max(newest, row.readUpTo)))
        }
    }

    /// Changes what is counted from, and counts what remains above it.
    private mutating func recount(
        _ conversation: ConversationNumber, _ rows: inout FoldRows, _ change: (inout UnreadRow) -> Void
    ) throws {
        let before = try cache[slot(conversation, &rows)].row
        var after = before
        change(&after)
        guard after != before else { return }
        if after.countedFrom != before.countedFrom || after.report.isOpen != before.report.isOpen
            || after.countsHistory != before.countsHistory
        {
            (after.count, after.mentions, after.everyoneMentions) = (0, 0, 0)
            // Those of which the row does not tell what they count.
            var others: [TimelineRow] = []
            try rows.snapshot.forEachTimelineRow(above: after.countedFrom, in: conversation) { _, row in
                guard after.counts(row) else { return true }
                if row.flags.contains(.mentionsAccount) || after.report.isOpen {
                    others.append(row)
                } else if !after.add(UnreadWeight(messages: 1)) {
                    throw Self.impossibleCount(conversation)
                }
                return true
            }
            for row in others {
                if after.report.isOpen, try rows.snapshot.isFromHistory(row.local) { continue }
                var weight = UnreadWeight(messages: 1)
                if row.flags.contains(.mentionsAccount) { weight = try rows.snapshot.unreadMention(row.local) }
                guard after.add(weight) else { throw Self.impossibleCount(conversation) }
            }
        }
        try update(conversation, &rows) { $0 = after }
    }

    private mutating func setFlag(
        _ flag: UnreadRow.Flags, _ isSet: Bool, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        try update(conversation, &rows) { row in
            if isSet { row.flags.insert(flag) } else { row.flags.remove(flag) }
        }
    }

    private mutating func update(
        _ conversation: ConversationNumber, _ rows: inout FoldRows, _ body: (inout UnreadRow) throws -> Void
    ) throws {
        let slot = try slot(conversation, &rows)
        try body(&cache[slot].row)
    }

    private mutating func slot(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws -> Int {
        if let slot = cache.slot(of: conversation) { return slot }
        let row =
            try rows.snapshot.decoded(.unread, at: conversation)
            ?? UnreadRow(kind: rows.snapshot.symbols.conversation(conversation).kind.rawValue)
        return cache.insert(Entry(original: row, row: row), of: conversation)
    }

    var openConversations: Int { cache.conversations.count }

    /// Writes the touched rows, and the totals by what changed.
    mutating func finishBatch(_ rows: inout FoldRows) throws {
        var totals: [[UInt8]: UnreadTotal] = [:]
        for (conversation, entry) in zip(cache.conversations, cache.entries) where entry.row != entry.original {
            try Self.move(entry, &totals, &rows)
            Self.moveLimit(of: conversation, entry, &rows)
            // Nothing unread, nothing read and no other kind than the key's leave no row, so that rows do not depend on
            // where batches ended.
            if entry.row == UnreadRow(kind: entry.row.kind),
                try entry.row.kind == rows.snapshot.symbols.conversation(conversation).kind.rawValue
            {
                rows.remove(.unread, at: conversation.rawValue)
                continue
            }
            rows.put(.unread, at: conversation.rawValue, entry.row)
        }
        for (key, total) in totals {
            if total == UnreadTotal() {
                rows.remove(.unreadTotals, key.span.bytes)
                continue
            }
            value.removeAll()
            total.write(to: &value)
            rows.put(.unreadTotals, key.span.bytes, value.bytes)
        }
        cache.removeAll()
    }

    /// Takes a conversation out of the total that it was in, and adds it to the one that it is in now. What is muted for a
    /// time is in none: whoever reads adds it, by the clock.
    private static func move(
        _ entry: Entry, _ totals: inout [[UInt8]: UnreadTotal], _ rows: inout FoldRows
    ) throws {
        if entry.original.mutedUntil == 0 {
            let key = totalKey(entry.original)
            let total = try totals[key] ?? rows.snapshot.unreadTotal(key)
            totals[key] = try exact(total.subtracting(UnreadTotal(of: entry.original)), key)
        }
        if entry.row.mutedUntil == 0 {
            let key = totalKey(entry.row)
            let total = try totals[key] ?? rows.snapshot.unreadTotal(key)
            totals[key] = try exact(total.adding(UnreadTotal(of: entry.row)), key)
        }
    }

    private static func moveLimit(of conversation: ConversationNumber, _ entry: Entry, _ rows: inout FoldRows) {
        let (old, new) = (entry.original.mutedUntil, entry.row.mutedUntil)
        guard old != new else { return }
        if old != 0 { rows.remove(.unreadTotals, RowKey.muteLimit(old, conversation).span.bytes) }
        if new != 0 { rows.put(.unreadTotals, RowKey.muteLimit(new, conversation).span.bytes, RawSpan()) }
    }

    private static func exact(_ total: UnreadTotal?, _ key: [UInt8]) throws -> UnreadTotal {
        guard let total else { throw StoreError.impossibleCount(in: .unreadTotals, at: key.span.bytes) }
        return total
    }

    private static func totalKey(_ row: UnreadRow) -> [UInt8] {
        RowKey.unreadTotal(kind: row.kind, row.muting.level, isArchived: row.flags.contains(.isArchived))
    }
}
