@_spi(Storage) internal import MessageStoreLog

/// A conversation's unread state: the size of a set, with what is needed to keep it exact (I5).
///
/// The set: timeline rows that count (incoming, policy "count", not recalled, not deleted, not read one by one) above the
/// read marker. Where a server reported a count that stands higher than the marker, the count is that number and the
/// rows above the report's place (d7).
struct UnreadRow: Equatable {
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
    /// The counts to show.
    var messages: UInt32 { isReportInForce ? UInt32(clamping: UInt64(count) + UInt64(report.count)) : count }
    var mentioning: UInt32 { isReportInForce ? UInt32(clamping: UInt64(mentions) + UInt64(report.mentions)) : mentions }

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
struct UnreadTotal: Equatable {
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

    mutating func add(_ row: UnreadRow) {
        let isMarked = row.flags.contains(.isMarkedUnread)
        messages &+= UInt64(row.messages)
        mentions &+= UInt64(row.mentioning)
        if row.messages > 0 || isMarked { conversations &+= 1 }
        if row.messages == 0, isMarked { markedOnly &+= 1 }
    }

    mutating func subtract(_ row: UnreadRow) {
        let isMarked = row.flags.contains(.isMarkedUnread)
        messages &-= UInt64(row.messages)
        mentions &-= UInt64(row.mentioning)
        if row.messages > 0 || isMarked { conversations &-= 1 }
        if row.messages == 0, isMarked { markedOnly &-= 1 }
    }

    func write(to writer: inout ByteWriter) {
        writer.append(messages)
        writer.append(mentions)
        writer.append(conversations)
        writer.append(markedOnly)
    }
}
