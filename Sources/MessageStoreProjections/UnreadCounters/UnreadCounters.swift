@_spi(Storage) internal import MessageStoreLog

/// The projection of unread counts, by conversation and summed by kind, mute and archive.
///
/// Counts change only with the membership of the set that defines them, so they cannot drift (I5, d5–d9).
struct UnreadCounters: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .unreadCounters, version: 5,
        events: .types(
            Set.changingTimeline.union([
                .conversationRead, .historyCleared, .chatRoomLeft, .conversationDeleted, .unreadCountReported,
                .conversationMarkedUnread, .conversationMuted, .conversationArchived, .conversationSummaryReceived,
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
        try apply(changes.timeline, &rows)
        if !event.type.isMessage { try apply(event, changes.settings, &rows) }
    }

    private mutating func apply(_ changes: borrowing TimelineChanges, _ rows: inout FoldRows) throws {
        for change in changes.list {
            let before = Self.weight(of: change.before)
            let after = Self.weight(of: change.after)
            guard before != after else { continue }
            let isHistory = (change.after ?? change.before)?.flags.contains(.countsAboveMarker) == true
            try update(change.conversation, &rows) { row in
                if isHistory, !row.countsHistory { return }
                guard row.countedFrom.precedes(changes.order(of: change)) else { return }
                guard row.add(messages: after.count - before.count, mentions: after.mentions - before.mentions) else {
                    throw Self.impossibleCount(change.conversation)
                }
            }
        }
    }

    private static func impossibleCount(_ conversation: ConversationNumber) -> StoreError {
        StoreError.impossibleCount(in: .unread, at: RowKey.number(conversation).span.bytes)
    }

    private static func weight(of row: TimelineRow?) -> (count: Int, mentions: Int) {
        guard let row, row.flags.contains(.counts) else { return (0, 0) }
        return (1, row.flags.contains(.mentionsAccount) ? 1 : 0)
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
            guard settings.contains(.mute) else { return }
            try setFlag(.isMuted, event[ConversationMuted.Fields.isMuted], conversation, &rows)
        case .conversationArchived:
            guard settings.contains(.archive) else { return }
            try setFlag(.isArchived, event[ConversationArchived.Fields.isArchived], conversation, &rows)
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
        if let isMuted = event[ConversationSummaryReceived.Fields.isMuted], settings.contains(.mute) {
            try setFlag(.isMuted, isMuted == 1, conversation, &rows)
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
        if after.countedFrom != before.countedFrom || after.countsHistory != before.countsHistory {
            (after.count, after.mentions) = (0, 0)
            try rows.snapshot.forEachTimelineRow(above: after.countedFrom, in: conversation) { _, row in
                guard after.counts(row) else { return true }
                let weight = Self.weight(of: row)
                guard after.add(messages: weight.count, mentions: weight.mentions) else {
                    throw Self.impossibleCount(conversation)
                }
                return true
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
            // Nothing unread and nothing read leaves no row, so that rows do not depend on where batches ended.
            if entry.row == UnreadRow(kind: entry.row.kind) {
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

    /// Takes a conversation out of the total that it was in, and adds it to the one that it is in now.
    private static func move(
        _ entry: Entry, _ totals: inout [[UInt8]: UnreadTotal], _ rows: inout FoldRows
    ) throws {
        let old = totalKey(entry.original)
        let new = totalKey(entry.row)
        let rest = try exact(
            (totals[old] ?? rows.snapshot.unreadTotal(old)).subtracting(UnreadTotal(of: entry.original)), old)
        if new == old {
            totals[new] = try exact(rest.adding(UnreadTotal(of: entry.row)), new)
        } else {
            totals[old] = rest
            let other = try totals[new] ?? rows.snapshot.unreadTotal(new)
            totals[new] = try exact(other.adding(UnreadTotal(of: entry.row)), new)
        }
    }

    private static func exact(_ total: UnreadTotal?, _ key: [UInt8]) throws -> UnreadTotal {
        guard let total else { throw StoreError.impossibleCount(in: .unreadTotals, at: key.span.bytes) }
        return total
    }

    private static func totalKey(_ row: UnreadRow) -> [UInt8] {
        RowKey.unreadTotal(
            kind: row.kind, isMuted: row.flags.contains(.isMuted), isArchived: row.flags.contains(.isArchived))
    }
}
