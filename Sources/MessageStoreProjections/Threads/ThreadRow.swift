@_spi(Storage) internal import MessageStoreLog

/// A row of `threads` about a message that others reply to: where the replies are, and how far they were read.
struct ThreadRow: ViewRow {
    /// The first reply that was told of, by which the replies are found: two ids of a server do not fit into one key. 0 where there
    /// was none yet.
    var firstReply = LocalMessageID(0)
    /// Up to where the thread was read by itself; empty where it was not.
    var readUpTo = OrderKey.belowAll
    /// The last event that read the whole thread: replies of the future are read by it.
    var aheadReadUpTo: UInt64 = 0

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("firstReply", &firstReply)
        parts.part("aheadReadUpTo", &aheadReadUpTo)
        parts.order("readUpTo", &readUpTo)
    }

    var marker: ReadMarker { ReadMarker(upTo: readUpTo, aheadReadUpTo: aheadReadUpTo) }

    var isPlausible: Bool { readUpTo == .belowAll || readUpTo.isComplete }
}

/// A row of `threads` at the place of a thread's last reply: the message that the thread is about.
struct ThreadRoot: ViewRow {
    var root: [UInt8] = []

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("root", &root, .serverID)
    }
}

extension RowKey {
    /// The key of a thread.
    static func thread(of root: [UInt8], in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + [0] + root
    }

    /// The beginning of the keys of a conversation's threads by their last replies, whose places follow.
    static func threads(of conversation: ConversationNumber) -> [UInt8] { number(conversation) + [1] }

    /// The beginning of the keys of a thread's replies, whose places follow.
    static func replies(with first: LocalMessageID, in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + message(first)
    }
}

extension ViewSnapshot {
    /// What is kept of a thread.
    borrowing func threadRow(of root: [UInt8], in conversation: ConversationNumber) throws -> ThreadRow {
        try decoded(.threads, RowKey.thread(of: root, in: conversation).span.bytes) ?? ThreadRow()
    }

    /// The place of a thread's last reply that was not recalled. Costs a step for each recalled one behind it.
    borrowing func lastReply(of thread: ThreadRow, in conversation: ConversationNumber) throws -> OrderKey? {
        try lastReply(of: thread, in: conversation, below: .aboveAll) { !$1.flags.contains(.isRecalled) }
    }

    /// The place of a thread's last reply whose time a server told, and whether replies from the future are above it.
    borrowing func lastToldReply(
        of thread: ThreadRow, in conversation: ConversationNumber, asOf event: RecordView
    ) throws -> (order: OrderKey?, isBelowAhead: Bool) {
        var isBelowAhead = false
        let last = try lastReply(of: thread, in: conversation, below: OrderKey(unsent: LocalMessageID(0))) {
            let isAhead = $1.flags.isTimeAhead || event.isAhead(OrderKey.time(of: $0))
            if isAhead { isBelowAhead = true }
            return !isAhead && !$1.flags.isTimeProvisional
        }
        return (last, isBelowAhead)
    }

    private borrowing func lastReply(
        of thread: ThreadRow, in conversation: ConversationNumber, below order: OrderKey,
        where isWanted: (_ order: RawSpan, TimelineRow) -> Bool
    ) throws -> OrderKey? {
        let prefix = RowKey.replies(with: thread.firstReply, in: conversation)
        let end = prefix + order.bytes
        var cursor = try rowsBackwards(.replies, before: end.span.bytes)
        while try cursor.next(), let place = cursor.key.removing(prefix) {
            let row: TimelineRow = try cursor.decoded()
            if isWanted(place, row) { return OrderKey(place) }
        }
        return nil
    }
}
