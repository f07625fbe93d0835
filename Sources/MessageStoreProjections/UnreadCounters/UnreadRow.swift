@_spi(Storage) internal import MessageStoreLog

/// A conversation's unread state: the size of a set, with what is needed to keep it exact (I5).
///
/// The set: timeline rows that count (incoming, policy "count", not recalled, not deleted, not read one by one) above the
/// read marker. Where a server reported a count that is higher than the marker, the count is that number and the
/// rows above the report's place (d7).
struct UnreadRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["isMuted", "isMarkedUnread"]
        static let isMuted = Flags(rawValue: 1)
        static let isMarkedUnread = Flags(rawValue: 2)
    }

    var kind: UInt8 = 0
    var flags: Flags = []
    /// The rows that count above ``countedFrom``.
    var count: UInt32 = 0
    var mentions: UInt32 = 0
    /// The order up to which all is read; empty where nothing is.
    var readUpTo = OrderKey.belowAll
    var report = UnreadReport()

    init() {}

    init(kind: UInt8) { self.kind = kind }

    /// Whether the server's number stands for what is below its place.
    var isReportInForce: Bool { readUpTo < report.upTo }
    /// The order above which rows are counted.
    var countedFrom: OrderKey { isReportInForce ? report.upTo : readUpTo }
    /// Whether a message above ``countedFrom`` counts: history does only where it is known up to where all is read.
    func counts(_ message: TimelineRow) -> Bool {
        message.flags.contains(.counts) && (!message.flags.contains(.countsAboveMarker) || !countedFrom.isEmpty)
    }
    /// The counts to show, wide enough for whatever a server reports.
    var messages: UInt64 { UInt64(count) + (isReportInForce ? UInt64(report.count) : 0) }
    var mentioning: UInt64 { UInt64(mentions) + (isReportInForce ? UInt64(report.mentions) : 0) }

    /// Counts more or fewer messages; false, and nothing is changed, where a count would leave its range.
    mutating func add(messages: Int, mentions: Int) -> Bool {
        guard let count = UInt32(exactly: Int(self.count) + messages),
            let mentions = UInt32(exactly: Int(self.mentions) + mentions)
        else { return false }
        (self.count, self.mentions) = (count, mentions)
        return true
    }

    @inline(__always) @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        var readUpToLength = UInt16(clamping: readUpTo.bytes.count)
        parts.part("kind", &kind)
        parts.part("flags", &flags)
        parts.part("count", &count)
        parts.part("mentions", &mentions)
        parts.part("readUpToLength", &readUpToLength, .length)
        parts.order("readUpTo", &readUpTo, count: Int(readUpToLength))
        if parts.continues(report != UnreadReport()) { report.describe(&parts) }
    }
}

/// The server's last word on how much is unread up to a place (d7).
struct UnreadReport: Equatable {
    var count: UInt32 = 0
    var mentions: UInt32 = 0
    var time: Int64 = 0
    /// Empty where the server never reported.
    var upTo = OrderKey.belowAll

    init() {}

    @inline(__always) @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("reportedCount", &count)
        parts.part("reportedMentions", &mentions)
        parts.part("reportedTime", &time, .time)
        parts.order("reportedUpTo", &upTo)
    }
}

/// The sum over all conversations of one kind, muted or not.
struct UnreadTotal: ViewRow {
    var messages: UInt64 = 0
    var mentions: UInt64 = 0
    /// Conversations with a count or the mark "unread".
    var conversations: UInt64 = 0
    /// Conversations with the mark and without a count: each shows as one (d8).
    var markedOnly: UInt64 = 0

    init() {}

    @inline(__always) @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("messages", &messages)
        parts.part("mentions", &mentions)
        parts.part("conversations", &conversations)
        parts.part("markedOnly", &markedOnly)
    }

    /// What one conversation adds.
    init(of row: UnreadRow) {
        let isMarked = row.flags.contains(.isMarkedUnread)
        messages = row.messages
        mentions = row.mentioning
        conversations = row.messages > 0 || isMarked ? 1 : 0
        markedOnly = row.messages == 0 && isMarked ? 1 : 0
    }

    /// The sum of both; nil where it would pass the width of a count.
    func adding(_ other: UnreadTotal) -> UnreadTotal? {
        combined(with: other) { $0.addingReportingOverflow($1) }
    }

    /// What is left without the other; nil where a count would be below zero.
    func subtracting(_ other: UnreadTotal) -> UnreadTotal? {
        combined(with: other) { $0.subtractingReportingOverflow($1) }
    }

    /// Whether every count, and what a badge shows, fits an `Int`.
    var isCountable: Bool {
        let badge = messages.addingReportingOverflow(markedOnly)
        return !badge.overflow && max(badge.partialValue, mentions, conversations) <= UInt64(Int.max)
    }

    private func combined(
        with other: UnreadTotal, _ operation: (UInt64, UInt64) -> (partialValue: UInt64, overflow: Bool)
    ) -> UnreadTotal? {
        let messages = operation(messages, other.messages)
        let mentions = operation(mentions, other.mentions)
        let conversations = operation(conversations, other.conversations)
        let markedOnly = operation(markedOnly, other.markedOnly)
        guard !messages.overflow, !mentions.overflow, !conversations.overflow, !markedOnly.overflow else { return nil }
        var result = UnreadTotal()
        result.messages = messages.partialValue
        result.mentions = mentions.partialValue
        result.conversations = conversations.partialValue
        result.markedOnly = markedOnly.partialValue
        return result
    }
}
