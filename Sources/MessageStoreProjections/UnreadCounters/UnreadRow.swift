internal import MessageStoreLog

/// A conversation's unread state: the size of a set, with what is needed to keep it exact (I5).
///
/// The set: timeline rows that count (incoming, policy "count", not recalled, not deleted) above the read marker.
struct UnreadRow: Equatable {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let isMuted = Flags(rawValue: 1)
        static let isMarkedUnread = Flags(rawValue: 2)
    }

    var kind: UInt8 = 0
    var flags: Flags = []
    var count: UInt32 = 0
    var mentions: UInt32 = 0
    /// The order up to which all is read; empty where nothing is.
    var readUpTo: [UInt8] = []

    init(kind: UInt8 = 0) { self.kind = kind }

    init?(_ row: RawSpan) {
        guard let kind = row.load(at: 0, as: UInt8.self), let flags = row.load(at: 1, as: UInt8.self),
            let count = row.load(at: 2, as: UInt32.self), let mentions = row.load(at: 6, as: UInt32.self)
        else { return nil }
        self.kind = kind
        self.flags = Flags(rawValue: flags)
        self.count = count
        self.mentions = mentions
        readUpTo = row.extracting(10..<row.byteCount).copied
    }

    func write(to writer: inout ByteWriter) {
        writer.append(kind)
        writer.append(flags.rawValue)
        writer.append(count)
        writer.append(mentions)
        writer.append(readUpTo)
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
        messages &+= UInt64(row.count)
        mentions &+= UInt64(row.mentions)
        if row.count > 0 || isMarked { conversations &+= 1 }
        if row.count == 0, isMarked { markedOnly &+= 1 }
    }

    mutating func subtract(_ row: UnreadRow) {
        let isMarked = row.flags.contains(.isMarkedUnread)
        messages &-= UInt64(row.count)
        mentions &-= UInt64(row.mentions)
        if row.count > 0 || isMarked { conversations &-= 1 }
        if row.count == 0, isMarked { markedOnly &-= 1 }
    }

    func write(to writer: inout ByteWriter) {
        writer.append(messages)
        writer.append(mentions)
        writer.append(conversations)
        writer.append(markedOnly)
    }
}
