@_spi(Storage) package import MessageStoreLog

/// A conversation's unread state: the size of a set, with the fields that keep it exact (I5).
///
/// The set: timeline rows that count (incoming, policy "count", not recalled, not deleted, not cleared, not read one by
/// one) above the read marker. If a server reported a count with a place above the read marker, the count is that number plus the
/// rows above the report's place (d7), until the timeline shows which messages the number counts: then the number moves
/// the read marker (d50).
struct UnreadRow: ViewRow, MutingRow {
    struct Flags: MutingFlags {
        let rawValue: UInt8
        static let bitNames = ["isMuted", "isMarkedUnread", "isArchived", "isMentionsOnly", "isCleared"]
        static let isMuted = Flags(rawValue: 1)
        static let isMarkedUnread = Flags(rawValue: 2)
        static let isArchived = Flags(rawValue: 4)
        static let isMentionsOnly = Flags(rawValue: 8)
        /// A policy cleared messages, maybe above the read marker.
        static let isCleared = Flags(rawValue: 16)
    }

    /// The last kind that an event set, else the key's.
    var kind: UInt8 = 0
    var flags: Flags = []
    /// The rows that count above ``countedFrom``.
    var count: UInt32 = 0
    var mentions: UInt32 = 0
    /// Messages in ``mentions`` that mention everyone and not the account by name (d44).
    var everyoneMentions: UInt32 = 0
    /// The highest place up to which all is read, but for ``namedUpTo``; empty if nothing is.
    var placedUpTo = OrderKey.belowAll
    /// The highest place of a read marker that names a message whose place is not known; a row of its own keeps it
    /// (d51).
    var namedUpTo = OrderKey.belowAll
    /// The last reading of this device that set or confirmed the read marker; 0 if another device or the server moved
    /// it. Messages recorded after it at the read marker's time are unread (d51).
    var readAt: UInt64 = 0
    /// The last event that read all that was known; messages from the future that were recorded before are read.
    var aheadReadUpTo: UInt64 = 0
    var report = UnreadReport()
    /// The highest place up to which a report counted; not below the place of ``report``.
    var countedUpTo = OrderKey.belowAll
    /// Until when it is muted or restricted to mentions; 0 for good, and where it is neither.
    var mutedUntil: UInt64 = 0

    init() {}

    init(kind: UInt8) { self.kind = kind }

    /// The order up to which all is read; empty if nothing is.
    var readUpTo: OrderKey { namedUpTo.isEmpty ? placedUpTo : max(placedUpTo, namedUpTo) }
    /// Whether the server's number is shown for messages below its place.
    var isReportInForce: Bool { report.isOpen || !report.flags.contains(.isPlaced) && readUpTo < report.upTo }
    /// The order above which rows are counted; nil for the read marker.
    var countedFrom: OrderKey? { isReportInForce ? max(readUpTo, report.upTo) : nil }
    /// Whether messages of the past are unread above the read marker: the place up to which all is read has to be
    /// known.
    var showsHistory: Bool {
        // Copies no place, since every message asks.
        !placedUpTo.isEmpty || !namedUpTo.isEmpty || (report.isOpen || !report.upTo.isEmpty) && isReportInForce
    }
    /// Whether messages of the past count above ``countedFrom``; they are part of an open report.
    var countsHistory: Bool { showsHistory && !report.isOpen }
    /// Whether a message at a place counts because it is above the read marker, without a report to consider; false also
    /// where only a closer look decides.
    func isPlainlyUnread(at order: RawSpan) -> Bool {
        report.upTo.isEmpty && report.flags.isDisjoint(with: [.isOpen, .isPlaced]) && namedUpTo.isEmpty
            && placedUpTo.precedes(order)
    }
    /// The read marker, to compare it with messages.
    var marker: ReadMarker {
        ReadMarker(
            upTo: readUpTo, readAt: readAt, aheadReadUpTo: aheadReadUpTo, showsHistory: showsHistory,
            mayBeBelowFloor: flags.contains(.isCleared))
    }

    /// Whether a reading ends a report without a place, too: a reading up to the report's place does if any place is
    /// known; a read marker only if it moves up to the newest message, because a repeated read marker says nothing new.
    func endsOpenReport(readingUpTo order: OrderKey, isMarker: Bool, newest: OrderKey?) -> Bool {
        guard order >= report.upTo else { return false }
        guard let newest else { return !isMarker && !report.upTo.isEmpty }
        return !isMarker || readUpTo < order && newest <= order
    }

    /// Moves the read marker up, never down.
    ///
    /// - Parameter reading: The event where this device read, 0 for another.
    mutating func read(upTo order: OrderKey, by reading: UInt64, endsOpenReport: Bool) {
        let marker = readUpTo
        if marker < order || marker == order && reading != 0 { readAt = reading }
        if marker < order { noteReadSince() }
        placedUpTo = max(placedUpTo, order)
        if endsOpenReport { report.flags.remove(.isOpen) }
    }

    /// Moves the read marker up to a message that the store does not know, until its place is known.
    mutating func read(upToNamed order: OrderKey, endsOpenReport: Bool) {
        if readUpTo < order {
            readAt = 0
            noteReadSince()
        }
        namedUpTo = max(namedUpTo, order)
        if endsOpenReport { report.flags.remove(.isOpen) }
    }

    private mutating func noteReadSince() {
        if report != UnreadReport() { report.flags.insert(.isReadSince) }
    }

    /// Makes the number a place: messages above it are unread, and no others.
    ///
    /// - Parameter newest: Up to where the number counts.
    mutating func placeReport(readUpTo order: OrderKey, newest: OrderKey) {
        // The server counts by its own read marker, which replaces the read markers from before the report.
        let isReadSince = report.flags.contains(.isReadSince)
        if !isReadSince, order < readUpTo { (placedUpTo, namedUpTo) = (order, .belowAll) }
        if !isReadSince { readAt = 0 }
        read(upTo: order, by: 0, endsOpenReport: true)
        report.flags.insert(.isPlaced)
        report.flags[.isReadSince] = isReadSince
        report.upTo = max(report.upTo, newest)
    }

    /// Whether the number counts a message that arrives at a place, so that the read marker is above another message.
    func isPlaced(above order: RawSpan) -> Bool {
        report.flags.contains(.isPlaced) && !report.flags.contains(.isReadSince) && readUpTo.precedes(order)
            && !report.upTo.precedes(order)
    }

    /// Of two reports with the server's time the later one holds, else the later in the log.
    mutating func take(_ report: UnreadReport) {
        countedUpTo = max(countedUpTo, report.upTo)
        let areTimed = report.flags.contains(.hasTime) && self.report.flags.contains(.hasTime)
        if !areTimed || report.time >= self.report.time { self.report = report }
    }

    /// The counts to show, wide enough for whatever a server reports.
    var messages: UInt64 { UInt64(count) + (isReportInForce ? UInt64(report.count) : 0) }
    var mentioning: UInt64 { UInt64(mentions) + (isReportInForce ? UInt64(report.mentions) : 0) }

    /// Counts more or fewer messages; false, and nothing is changed, where a count would leave its range.
    mutating func add(_ weight: UnreadWeight) -> Bool {
        guard let count = UInt32(exactly: Int(count) + weight.messages),
            let mentions = UInt32(exactly: Int(mentions) + weight.mentions),
            let everyoneMentions = UInt32(exactly: Int(everyoneMentions) + weight.everyoneMentions)
        else { return false }
        (self.count, self.mentions, self.everyoneMentions) = (count, mentions, everyoneMentions)
        return true
    }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        var readUpToLength = UInt16(clamping: placedUpTo.bytes.count)
        var namedUpToLength = UInt16(clamping: namedUpTo.bytes.count)
        parts.part("kind", &kind, .kind)
        parts.part("flags", &flags)
        parts.part("count", &count)
        parts.part("mentions", &mentions)
        parts.part("everyoneMentions", &everyoneMentions)
        parts.part("mutedUntil", &mutedUntil, .time)
        parts.part("readUpToLength", &readUpToLength, .length)
        parts.order("readUpTo", &placedUpTo, count: Int(readUpToLength))
        parts.part("readAt", &readAt)
        parts.part("aheadReadUpTo", &aheadReadUpTo)
        if parts.continues(report != UnreadReport() || !countedUpTo.isEmpty || !namedUpTo.isEmpty) {
            parts.part("namedUpToLength", &namedUpToLength, .length)
            parts.order("namedUpTo", &namedUpTo, count: Int(namedUpToLength))
            report.describe(&parts)
            parts.order("countedUpTo", &countedUpTo)
        }
    }
}

/// The amount that messages add to the counts of a conversation.
struct UnreadWeight: Equatable {
    var messages = 0
    var mentions = 0
    var everyoneMentions = 0

    static func - (first: Self, second: Self) -> Self {
        Self(
            messages: first.messages - second.messages, mentions: first.mentions - second.mentions,
            everyoneMentions: first.everyoneMentions - second.everyoneMentions)
    }
}

/// The server's last word on how much is unread up to a place (d7, d30).
struct UnreadReport: Equatable {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["isOpen", "hasTime", "isPlaced", "isReadSince"]
        /// The server reported it without place and time, and nothing was read since: messages from history are part of
        /// it.
        static let isOpen = Flags(rawValue: 1)
        /// The server reported the time.
        static let hasTime = Flags(rawValue: 2)
        /// The read marker is below the messages that the number counts.
        static let isPlaced = Flags(rawValue: 4)
        /// A reading moved the read marker after the report.
        static let isReadSince = Flags(rawValue: 8)
    }

    var flags: Flags = []
    var count: UInt32 = 0
    var mentions: UInt32 = 0
    /// By the server's clock; 0 if the server reported no time.
    var time: Int64 = 0
    /// Empty if the server never reported, or nothing was known when it did.
    var upTo = OrderKey.belowAll
    /// How many messages have to arrive at or below ``upTo`` before it is worth looking for the number's place.
    var missing: UInt32 = 0

    var isOpen: Bool { flags.contains(.isOpen) }

    init() {}

    /// - Parameter upTo: The place up to which the report counts.
    init(_ reported: ReportedCount, upTo: OrderKey) {
        (count, mentions, self.upTo) = (reported.count, reported.mentions, upTo)
        if let time = reported.time {
            flags.insert(.hasTime)
            self.time = time.milliseconds
        }
        // Nothing belongs to a number of 0.
        if reported.isAlone, reported.count > 0 { flags.insert(.isOpen) }
    }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        var upToLength = UInt16(clamping: upTo.bytes.count)
        parts.part("reportedFlags", &flags)
        parts.part("reportedCount", &count)
        parts.part("reportedMentions", &mentions)
        parts.part("reportedTime", &time, .time)
        parts.part("reportedMissing", &missing)
        parts.part("reportedUpToLength", &upToLength, .length)
        parts.order("reportedUpTo", &upTo, count: Int(upToLength))
    }
}

/// The sum over all conversations of one kind and level, archived or not, that are not muted for a time.
struct UnreadTotal: ViewRow {
    var messages: UInt64 = 0
    var mentions: UInt64 = 0
    /// Conversations with a count or the mark "unread".
    var conversations: UInt64 = 0
    /// Conversations with the mark and without a count: each shows as one (d8).
    var markedOnly: UInt64 = 0
    /// Conversations with a mention.
    var mentioned: UInt64 = 0
    var everyoneMentions: UInt64 = 0

    init() {}

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("messages", &messages)
        parts.part("mentions", &mentions)
        parts.part("conversations", &conversations)
        parts.part("markedOnly", &markedOnly)
        parts.part("mentioned", &mentioned)
        parts.part("everyoneMentions", &everyoneMentions)
    }

    /// The total that one conversation adds.
    init(of row: UnreadRow) {
        let isMarked = row.flags.contains(.isMarkedUnread)
        messages = row.messages
        mentions = row.mentioning
        conversations = row.messages > 0 || isMarked ? 1 : 0
        markedOnly = row.messages == 0 && isMarked ? 1 : 0
        mentioned = row.mentioning > 0 ? 1 : 0
        everyoneMentions = UInt64(row.everyoneMentions)
    }

    /// The part of it that counts for the badge of conversations with a level (d43).
    func counting(at level: NotificationLevel) -> UnreadTotal {
        switch level {
        case .all: return self
        case .nothing: return UnreadTotal()
        case .mentionsOnly:
            var total = self
            (total.messages, total.conversations, total.markedOnly) = (mentions, mentioned, 0)
            return total
        }
    }

    /// The sum of both; nil if it would pass the width of a count.
    func adding(_ other: UnreadTotal) -> UnreadTotal? {
        combined(with: other) { $0.addingReportingOverflow($1) }
    }

    /// The difference to the other; nil if a count would be below zero.
    func subtracting(_ other: UnreadTotal) -> UnreadTotal? {
        combined(with: other) { $0.subtractingReportingOverflow($1) }
    }

    /// Whether every count, and what a badge shows, fits an `Int`.
    var isCountable: Bool {
        let badge = messages.addingReportingOverflow(markedOnly)
        return !badge.overflow && max(badge.partialValue, mentions, conversations, everyoneMentions) <= UInt64(Int.max)
    }

    private func combined(
        with other: UnreadTotal, _ operation: (UInt64, UInt64) -> (partialValue: UInt64, overflow: Bool)
    ) -> UnreadTotal? {
        let messages = operation(messages, other.messages)
        let mentions = operation(mentions, other.mentions)
        let conversations = operation(conversations, other.conversations)
        let markedOnly = operation(markedOnly, other.markedOnly)
        let mentioned = operation(mentioned, other.mentioned)
        let everyone = operation(everyoneMentions, other.everyoneMentions)
        guard !messages.overflow, !mentions.overflow, !conversations.overflow, !markedOnly.overflow,
            !mentioned.overflow, !everyone.overflow
        else { return nil }
        var result = UnreadTotal()
        result.messages = messages.partialValue
        result.mentions = mentions.partialValue
        result.conversations = conversations.partialValue
        result.markedOnly = markedOnly.partialValue
        result.mentioned = mentioned.partialValue
        result.everyoneMentions = everyone.partialValue
        return result
    }
}

extension ViewSnapshot {
    /// The order up to which this account has read a conversation; empty if it has read nothing.
    borrowing func readMarker(of conversation: ConversationNumber) throws -> OrderKey {
        try unreadRow(of: conversation).readUpTo
    }

    /// The read marker of a conversation; nil if its rows are being rebuilt, or are none that a host's projection
    /// reads.
    borrowing func knownMarker(of conversation: ConversationNumber) throws -> ReadMarker? {
        scope.sees(UnreadCounters.counters.viewTable) ? try unreadRow(of: conversation).marker : nil
    }

    borrowing func unreadRow(of conversation: ConversationNumber) throws -> UnreadRow {
        try row(UnreadCounters.counters, conversation) ?? UnreadRow()
    }

    /// The next time after a moment at which a conversation is no longer muted, or restricted to mentions; nil if none
    /// is.
    package borrowing func nextMuteLimit(after moment: Timestamp) throws -> Timestamp? {
        guard scope.sees(UnreadCounters.muteLimits.viewTable) else { return nil }
        var cursor = try rows(
            UnreadCounters.muteLimits, from: MuteLimitKey(until: UInt64(clamping: moment.milliseconds) + 1))
        guard try cursor.next() else { return nil }
        let until = try cursor.key(of: UnreadCounters.muteLimits).until
        return Timestamp(milliseconds: Int64(clamping: until))
    }

    /// The conversations that are muted, or restricted to mentions, at one of two moments by a limit that has come at the
    /// other.
    borrowing func conversations(mutedUntil first: Timestamp, _ second: Timestamp) throws -> Set<ConversationNumber> {
        let low = UInt64(clamping: min(first, second).milliseconds)
        let high = UInt64(clamping: max(first, second).milliseconds)
        var found: Set<ConversationNumber> = []
        guard low < high else { return found }
        var cursor = try rows(UnreadCounters.muteLimits, from: MuteLimitKey(until: low + 1))
        while try cursor.next() {
            let key = try cursor.key(of: UnreadCounters.muteLimits)
            guard key.until <= high else { break }
            found.insert(key.conversation)
        }
        return found
    }

    borrowing func unreadTotal(_ key: UnreadTotalKey) throws -> UnreadTotal {
        try row(UnreadCounters.totals, key) ?? UnreadTotal()
    }

    /// Whether a message came from history.
    @inline(never)
    borrowing func isFromHistory(_ local: LocalMessageID) throws -> Bool {
        try record(at: Position(local.rawValue), namedBy: Timeline.messages.viewTable).origin == .history
    }

    /// Whether a message mentions the account by name.
    @inline(never)
    borrowing func namesAccount(_ local: LocalMessageID) throws -> Bool {
        Messages.namesAccount(
            try record(at: Position(local.rawValue), namedBy: Timeline.messages.viewTable),
            try row(Messages.states, local) ?? MessageState())
    }

    /// The same of the event that is folded, which is not among the records below it.
    @inline(never)
    borrowing func namesAccount(_ event: RecordView) throws -> Bool {
        let local = LocalMessageID(event.position.rawValue)
        return Messages.namesAccount(event, try row(Messages.states, local) ?? MessageState())
    }
}
