@_spi(Storage) internal import MessageStoreLog

/// A conversation's unread state: the size of a set, with what is needed to keep it exact (I5).
///
/// The set: timeline rows that count (incoming, policy "count", not recalled, not deleted, not read one by one) above the
/// read marker. Where a server reported a count that stands higher than the marker, the count is that number and the
/// rows above the report's place (d7).
struct UnreadRow: ViewRow, Equatable {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let isMuted = Flags(rawValue: 1)
        static let isMarkedUnread = Flags(rawValue: 2)
    }

    var kind: UInt8 = 0
    var flags: Flags = []
    /// The rows that count above ``countedFrom``.
    var count: UInt32 = 0
    var mentions: UInt32 = 0
    /// The order up to which all is read; empty where nothing is.
    var readUpTo: [UInt8] = []
    var report = UnreadReport()

    init(kind: UInt8 = 0) { self.kind = kind }

    /// Whether the server's number stands for what is below its place.
    var isReportInForce: Bool { readUpTo.lexicographicallyPrecedes(report.upTo) }
    /// The order above which rows are counted.
    var countedFrom: [UInt8] { isReportInForce ? report.upTo : readUpTo }
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

    init?(_ row: RawSpan) {
        guard let kind = row.load(at: 0, as: UInt8.self), let flags = row.load(at: 1, as: UInt8.self),
            let count = row.load(at: 2, as: UInt32.self), let mentions = row.load(at: 6, as: UInt32.self),
            let readLength = row.load(at: 10, as: UInt16.self), 12 + Int(readLength) <= row.byteCount
        else { return nil }
        self.kind = kind
        self.flags = Flags(rawValue: flags)
        self.count = count
        self.mentions = mentions
        readUpTo = row.extracting(12..<12 + Int(readLength)).copied
        guard row.byteCount > 12 + Int(readLength) else { return }
        guard let report = UnreadReport(row.extracting(12 + Int(readLength)..<row.byteCount)) else { return nil }
        self.report = report
    }

    func write(to writer: inout ByteWriter) {
        writer.append(kind)
        writer.append(flags.rawValue)
        writer.append(count)
        writer.append(mentions)
        writer.append(UInt16(clamping: readUpTo.count))
        writer.append(readUpTo)
        if report != UnreadReport() { report.write(to: &writer) }
    }
}

/// The server's last word on how much is unread up to a place (d7).
struct UnreadReport: Equatable {
    var count: UInt32 = 0
    var mentions: UInt32 = 0
    var time: Int64 = 0
    /// Empty where the server never reported.
    var upTo: [UInt8] = []

    init() {}

    init?(_ row: RawSpan) {
        guard let count = row.load(at: 0, as: UInt32.self), let mentions = row.load(at: 4, as: UInt32.self),
            let time = row.load(at: 8, as: Int64.self)
        else { return nil }
        (self.count, self.mentions, self.time) = (count, mentions, time)
        upTo = row.extracting(16..<row.byteCount).copied
    }

    func write(to writer: inout ByteWriter) {
        writer.append(count)
        writer.append(mentions)
        writer.append(time)
        writer.append(upTo)
    }
}

/// The sum over all conversations of one kind, muted or not.
struct UnreadTotal: ViewRow, Equatable {
    var messages: UInt64 = 0
    var mentions: UInt64 = 0
    /// Conversations with a count or the mark "unread".
    var conversations: UInt64 = 0
    /// Conversations with the mark and without a count: each shows as one (d8).
    var markedOnly: UInt64 = 0

    init() {}

    init?(_ row: RawSpan) {
        guard let messages = row.load(at: 0, as: UInt64.self), let mentions = row.load(at: 8, as: UInt64.self),
            let conversations = row.load(at: 16, as: UInt64.self), let markedOnly = row.load(at: 24, as: UInt64.self)
        else { return nil }
        (self.messages, self.mentions) = (messages, mentions)
        (self.conversations, self.markedOnly) = (conversations, markedOnly)
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

    func write(to writer: inout ByteWriter) {
        writer.append(messages)
        writer.append(mentions)
        writer.append(conversations)
        writer.append(markedOnly)
    }
}
