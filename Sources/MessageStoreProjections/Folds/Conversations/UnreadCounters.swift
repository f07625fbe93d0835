@_spi(Storage) internal import MessageStoreLog

/// The projection of unread counts, by conversation and summed by kind, level and archive.
///
/// Counts change only with the membership of the set that defines them, so they cannot drift (I5, d5–d9).
struct UnreadCounters: HandlingProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .unreadCounters, version: 12, events: handlers.types,
        reads: [.messages, .timeline, .settings, .syncState], traits: .neededByAdmission,
        tables: counters, namedMarkers, totals, muteLimits)
    static var counters: Table<ConversationNumber, UnreadRow> { Table("unread", 12, .queried) }
    /// The read markers that name messages whose places are not known.
    static var namedMarkers: Table<ServerIDKey, OrderRow> { Table(in: counters) }
    static var totals: Table<UnreadTotalKey, UnreadTotal> { Table("unreadTotals", 13, .summed) }
    static var muteLimits: Table<MuteLimitKey, NoValue> { Table(in: totals) }

    static let handlers = EventHandlers<Self>(
        following: Set.with(.changesTimeline).union(Settings.typesOfConversations)
    )
    .on(.conversationRead) { fold, event, rows, _ in
        try fold.read(event, upTo: event.order(ConversationRead.Fields.upTo), &rows)
    }
    .on(.historyCleared) { fold, event, rows, _ in
        if event[HistoryCleared.isRetention] == true { return try fold.clear(event, &rows) }
        try fold.read(event, upTo: event.clearedUpTo, &rows)
    }
    .on(.conversationDeleted) { fold, event, rows, _ in try fold.read(event, upTo: nil, &rows) }
    .on(.chatRoomLeft) { fold, event, rows, changes in
        if let newest = changes.newestBefore { try fold.read(event, upTo: nil, newest: newest, &rows) }
    }
    .on(.offlineSyncCompleted) { fold, _, rows, changes in
        for conversation in changes.joined { try fold.expectPlace(in: conversation, &rows) }
    }
    .on(.historyPageLoaded) { fold, event, rows, _ in try fold.findPlace(event, &rows) }
    .on(.unreadCountReported) { fold, event, rows, _ in try fold.report(event, &rows) }
    .on(.conversationSummaryReceived) { fold, event, rows, _ in
        // The read marker comes first.
        if let order = event.order(ConversationSummaryReceived.readUpTo.field) {
            try fold.read(event, upTo: order, isMarker: true, &rows)
        }
        try fold.report(event, &rows)
    }
    .on(.conversationCreated, .conversationUpdated, .conversationSnapshotReceived) { fold, event, rows, _ in
        guard let kind = try event.reportedKind(rows.snapshot.symbols) else { return }
        try fold.update(event.conversationNumber, &rows) { $0.kind = kind.rawValue }
    }

    struct Entry {
        let original: UnreadRow
        var row: UnreadRow
    }

    /// The rows that were touched since the last finish, decoded.
    var cache = ConversationCache<Entry>()
    /// Whether the event changed up to where a conversation is read.
    var isMarkerMoved = false

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        isMarkerMoved = false
        try apply(changes.timeline, of: event, &rows)
        if !event.type.isMessage {
            try handle(event, &rows, &changes)
            for choice in changes.choices { try take(choice, event.conversationNumber, &rows) }
        }
        if Self.mayNameMessage(event.type) { try placeNamed(event, &rows) }
        guard event.flags.contains(.hasTimer) || rows.snapshot.hasTimers, event.conversationNumber != .none else {
            return
        }
        changes.reading = (try cache[slot(event.conversationNumber, &rows)].row.marker, isMarkerMoved)
    }

    private mutating func apply(
        _ changes: borrowing TimelineChanges, of event: RecordView, _ rows: inout FoldRows
    ) throws {
        for change in changes.list where !Self.keepsWeight(change) {
            let before = Self.weight(of: change.before, namesAccount: change.namesAccount.before)
            let after = Self.weight(of: change.after, namesAccount: change.namesAccount.after)
            guard before != after, let row = change.after ?? change.before else { continue }
            let order = changes.order(of: change)
            let slot = try slot(change.conversation, &rows)
            if cache[slot].row.flags.contains(.isCleared),
                try !rows.snapshot.clearing(of: change.conversation).shows(row.local, at: order)
            {
                continue
            }
            if change.before == nil, !row.flags.isTimeAhead, cache[slot].row.isPlainlyUnread(at: order) {
                try count(row, after, change.conversation, slot)
                continue
            }
            guard try isCounted(row, at: order, slot, event, rows) else {
                if change.before == nil { try arrive(row, at: order, slot, event, &rows) }
                continue
            }
            if cache[slot].row.report.isOpen {
                if try Self.isFromHistory(row, event, rows) { continue }
            } else if row.flags.contains(.countsAboveMarker), !cache[slot].row.countsHistory {
                continue
            }
            guard cache[slot].row.add(after - before) else { throw Self.impossibleCount(change.conversation) }
            if change.before == nil { try arrive(row, at: order, slot, event, &rows) }
        }
    }

    /// The slot of a conversation's decoded row, if no read marker names a message whose place is not known.
    @inline(__always)
    mutating func openSlot(of conversation: ConversationNumber) -> Int? {
        guard let slot = cache.slot(of: conversation), cache[slot].row.namedUpTo.isEmpty else { return nil }
        return slot
    }

    /// Whether a message at a place counts because it is above the read marker.
    @inline(__always)
    func isPlainlyUnread(at order: RawSpan, _ slot: Int) -> Bool { cache[slot].row.isPlainlyUnread(at: order) }

    /// Counts a message that is plainly unread, unless it is one of the past that are not counted here.
    @inline(__always)
    mutating func count(
        _ message: TimelineRow, _ weight: UnreadWeight, _ conversation: ConversationNumber, _ slot: Int
    ) throws {
        guard !message.flags.contains(.countsAboveMarker) || cache[slot].row.countsHistory else { return }
        guard cache[slot].row.add(weight) else { throw Self.impossibleCount(conversation) }
    }

    /// Whether the row counts a message at a place.
    private func isCounted(
        _ message: TimelineRow, at order: RawSpan, _ slot: Int, _ event: RecordView, _ rows: borrowing FoldRows
    ) throws -> Bool {
        if let place = cache[slot].row.countedFrom,
            try !rows.snapshot.isAbove(place, message, at: order, folding: event)
        {
            return false
        }
        return try rows.snapshot.isAbove(cache[slot].row.marker, message, at: order, folding: event)
    }

    /// Whether a message came from history: while a number alone is in force, it alone is shown for such messages
    /// (d31), even if the store is configured to count all messages from history. The row does not record the origin.
    ///
    /// - Parameter event: The event that is folded, which is not among the records below it.
    static func isFromHistory(
        _ row: TimelineRow, _ event: RecordView, _ rows: borrowing FoldRows
    ) throws -> Bool {
        if row.local.rawValue == event.position.rawValue { return event.origin == .history }
        return try rows.snapshot.isFromHistory(row.local)
    }

    static func impossibleCount(_ conversation: ConversationNumber) -> StoreError {
        StoreError.impossibleCount(in: counters, at: conversation)
    }

    /// Whether a message weighs the same as before, as where its state alone changes; spares reads of mentions.
    private static func keepsWeight(_ change: TimelineChange) -> Bool {
        guard let before = change.before, let after = change.after, before.local == after.local,
            change.namesAccount.before == change.namesAccount.after
        else { return false }
        return before.flags.symmetricDifference(after.flags).isDisjoint(with: [.counts, .mentionsAccount])
    }

    /// The amount that a message adds to the counts, as of now.
    ///
    /// - Parameter event: The event that is folded, which is not among the records below it.
    static func weight(
        of row: TimelineRow, _ event: RecordView, _ rows: borrowing FoldRows
    ) throws -> UnreadWeight {
        let isNew = row.local.rawValue == event.position.rawValue
        guard row.flags.isSuperset(of: [.counts, .mentionsAccount]), !isNew else {
            return try weight(of: row, namesAccount: isNew && rows.snapshot.namesAccount(event))
        }
        return try weight(of: row, namesAccount: rows.snapshot.namesAccount(row.local))
    }

    private static func weight(of row: TimelineRow?, namesAccount: Bool) -> UnreadWeight {
        guard let row, row.flags.contains(.counts) else { return UnreadWeight() }
        guard row.flags.contains(.mentionsAccount) else { return UnreadWeight(messages: 1) }
        return UnreadWeight(messages: 1, mentions: 1, everyoneMentions: namesAccount ? 0 : 1)
    }

    /// Takes over a choice that applies.
    private mutating func take(
        _ choice: Choice, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        switch choice {
        case .flag(let flag, let isSet):
            if let bit = flag.unread { try update(conversation, &rows) { $0.flags[bit] = isSet } }
        case .muting(let muting): try update(conversation, &rows) { $0.muting = muting }
        default: break
        }
    }

    mutating func update(
        _ conversation: ConversationNumber, _ rows: inout FoldRows, _ body: (inout UnreadRow) throws -> Void
    ) throws {
        let slot = try slot(conversation, &rows)
        try body(&cache[slot].row)
    }

    mutating func slot(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws -> Int {
        if let slot = cache.slot(of: conversation) { return slot }
        let row =
            try rows.snapshot.row(Self.counters, conversation)
            ?? UnreadRow(kind: rows.snapshot.symbols.conversation(conversation).kind.rawValue)
        return cache.insert(Entry(original: row, row: row), of: conversation)
    }

    var openConversations: Int { cache.conversations.count }

    /// Writes the touched rows, and the totals by what changed.
    mutating func finishBatch(_ rows: inout FoldRows) throws {
        var totals: [UnreadTotalKey: UnreadTotal] = [:]
        for (conversation, entry) in zip(cache.conversations, cache.entries) where entry.row != entry.original {
            try Self.move(entry, &totals, &rows)
            Self.moveLimit(of: conversation, entry, &rows)
            // Nothing unread, nothing read and no other kind than the key's leave no row, so that rows do not depend on
            // where batches ended.
            if entry.row == UnreadRow(kind: entry.row.kind),
                try entry.row.kind == rows.snapshot.symbols.conversation(conversation).kind.rawValue
            {
                rows.remove(Self.counters, conversation)
                continue
            }
            rows.put(Self.counters, conversation, entry.row)
        }
        for (key, total) in totals { rows.set(Self.totals, key, total == UnreadTotal() ? nil : total) }
        cache.removeAll()
    }

    /// Takes a conversation out of the total that it was in, and adds it to the one that it is in now. A conversation
    /// that is muted for a time is in none: readers add it, by the clock.
    private static func move(
        _ entry: Entry, _ totals: inout [UnreadTotalKey: UnreadTotal], _ rows: inout FoldRows
    ) throws {
        if entry.original.mutedUntil == 0 {
            let key = UnreadTotalKey(entry.original)
            let total = try totals[key] ?? rows.snapshot.unreadTotal(key)
            totals[key] = try exact(total.subtracting(UnreadTotal(of: entry.original)), key)
        }
        if entry.row.mutedUntil == 0 {
            let key = UnreadTotalKey(entry.row)
            let total = try totals[key] ?? rows.snapshot.unreadTotal(key)
            totals[key] = try exact(total.adding(UnreadTotal(of: entry.row)), key)
        }
    }

    private static func moveLimit(of conversation: ConversationNumber, _ entry: Entry, _ rows: inout FoldRows) {
        let (old, new) = (entry.original.mutedUntil, entry.row.mutedUntil)
        guard old != new else { return }
        if old != 0 { rows.remove(muteLimits, MuteLimitKey(until: old, conversation)) }
        if new != 0 { rows.put(muteLimits, MuteLimitKey(until: new, conversation), NoValue()) }
    }

    private static func exact(_ total: UnreadTotal?, _ key: UnreadTotalKey) throws -> UnreadTotal {
        guard let total else { throw StoreError.impossibleCount(in: totals, at: key) }
        return total
    }
}

/// The key of unread totals over all conversations of a kind and level, archived or not, that are not muted for a time.
struct UnreadTotalKey: ViewKey, Hashable {
    private(set) var kind: UInt8 = 0
    private(set) var level = NotificationLevel.all
    private(set) var isArchived = false

    init() {}

    init(_ row: UnreadRow) {
        (kind, level, isArchived) = (row.kind, row.muting.level, row.flags.contains(.isArchived))
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("kind", &kind, .kind)
        parts.part("level", &level)
        parts.part("isArchived", &isArchived)
    }
}

/// The key of a conversation that is muted, or restricted to mentions, until a time.
struct MuteLimitKey: ViewKey {
    private enum Index: UInt8, RowValue {
        case index = 0xFF
    }

    private var index = Index.index
    private(set) var until: UInt64 = 0
    private(set) var conversation = ConversationNumber.none

    init() {}

    init(until: UInt64, _ conversation: ConversationNumber = .none) {
        self.until = until
        self.conversation = conversation
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
        parts.part("mutedUntil", &until, .time)
        parts.part("conversation", &conversation, .conversation)
    }
}

extension NotificationLevel: RowValue {}

/// A server's count of the unread messages of a conversation, reported alone or in a summary.
struct ReportedCount {
    let count: UInt32
    let mentions: UInt32
    /// The last message that the server counted.
    let upTo: OrderKey?
    /// When, by the server's clock.
    let time: Timestamp?

    /// Whether it is a number alone, which speaks of the moment at which it was recorded.
    var isAlone: Bool { upTo == nil && time == nil }
}

extension RecordView {
    /// The server's count that the event reports; nil if it reports none.
    var reportedCount: ReportedCount? {
        switch type {
        case .unreadCountReported:
            return ReportedCount(
                count: self[UnreadCountReported.count], mentions: self[UnreadCountReported.mentions],
                upTo: order(UnreadCountReported.upTo.field), time: serverTime)
        case .conversationSummaryReceived:
            guard let count = self[ConversationSummaryReceived.count] else { return nil }
            return ReportedCount(
                count: count, mentions: self[ConversationSummaryReceived.mentions] ?? 0,
                upTo: order(ConversationSummaryReceived.upTo.field), time: serverTime)
        default: return nil
        }
    }
}

extension ViewSnapshot {
    /// Up to where a server's count applies: the place that it names, else all that is known and all that was sent
    /// before its time; nil for a number alone.
    borrowing func place(of report: ReportedCount, _ event: RecordView) throws -> OrderKey? {
        if let upTo = report.upTo { return upTo }
        guard let time = report.time else { return nil }
        let newest = try newestReported(in: event.conversationNumber, asOf: event).order
        return max(newest ?? .belowAll, OrderKey(MessageOrder(time: time)))
    }
}

extension ProjectionID {
    /// Unread counts, by conversation and in total.
    public static let unreadCounters: ProjectionID = "UnreadCounters"
}
