@_spi(Storage) internal import MessageStoreLog

/// A row of `threads` about a message that others reply to: where the replies are, and how far they were read.
struct ThreadRow: ViewRow {
    /// The first reply that was recorded, by which the replies are found: two ids of a server do not fit into one key.
    /// 0 if there was none yet.
    var firstReply = LocalMessageID(0)
    /// Up to where the thread was read by itself; empty where it was not.
    var readUpTo = OrderKey.belowAll
    /// The last event that read the whole thread: replies of the future are read by it.
    var aheadReadUpTo: UInt64 = 0

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

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("root", &root, .serverID)
    }
}

/// The key of a row of `threads` by the message that the thread is about.
struct ThreadKey: ViewKey {
    private enum Kind: UInt8, RowValue {
        case thread = 0
    }

    private var kind = Kind.thread
    var conversation = ConversationNumber.none
    var root: [UInt8] = []

    init() {}

    init(conversation: ConversationNumber, root: [UInt8]) {
        self.conversation = conversation
        self.root = root
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("kind", &kind)
        parts.rest("serverID", &root, .serverID)
    }
}

/// The key of a row of `threads` by the thread's last reply.
struct LastReplyKey: ViewKey {
    private enum Kind: UInt8, RowValue {
        case lastReply = 1
    }

    private var kind = Kind.lastReply
    var conversation = ConversationNumber.none
    var lastReply = OrderKey.belowAll

    init() {}

    init(conversation: ConversationNumber, lastReply: OrderKey = .belowAll) {
        self.conversation = conversation
        self.lastReply = lastReply
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("kind", &kind)
        parts.order("lastReply", &lastReply)
    }
}

/// The key of a row of `replies`.
struct ReplyKey: ViewKey {
    var conversation = ConversationNumber.none
    var firstReply = LocalMessageID(0)
    var order = OrderKey.belowAll

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("firstReply", &firstReply)
        parts.order("order", &order)
    }
}

extension ViewSnapshot {
    /// The stored row of a thread.
    borrowing func threadRow(of root: [UInt8], in conversation: ConversationNumber) throws -> ThreadRow {
        try row(Threads.threads, ThreadKey(conversation: conversation, root: root)) ?? ThreadRow()
    }

    /// The place of a thread's last reply that was not recalled. Costs a step for each recalled one after it.
    borrowing func lastReply(of thread: ThreadRow, in conversation: ConversationNumber) throws -> OrderKey? {
        try lastReply(of: thread, in: conversation, below: .aboveAll) { !$1.flags.contains(.isRecalled) }
    }

    /// The place of a thread's last reply that has a server's time, and whether replies from the future are above it.
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
        var key = ReplyKey(conversation: conversation, firstReply: thread.firstReply)
        let prefix = key.bytes
        key.order = order
        var cursor = try rowsBackwards(Threads.replies, before: key)
        while try cursor.next(), let place = cursor.key.removing(prefix) {
            if isWanted(place, try cursor.row(of: Threads.replies)) { return OrderKey(place) }
        }
        return nil
    }
}
