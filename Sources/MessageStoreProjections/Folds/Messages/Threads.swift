@_spi(Storage) internal import MessageStoreLog

/// The projection of threads: replies by the message that they name, threads by their last reply, and read markers.
///
/// Replies have the rows of the timeline, under their thread. Cleared replies keep their rows, as in the timeline
/// (d46).
struct Threads: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .threads, version: 4, events: handlers.types, reads: [.messages, .timeline],
        traits: .unchangedByPlainMessages, tables: replies, threads, byLastReply)
    static var replies: Table<ReplyKey, TimelineRow> { Table("replies", 35) }
    static var threads: Table<ThreadKey, ThreadRow> { Table("threads", 36) }
    static var byLastReply: Table<LastReplyKey, ThreadRoot> { Table(in: threads) }

    static let handlers = EventHandlers<Self>(following: .with(.changesTimeline))
        .on(ThreadRead.self) { fold, event, rows, _ in try fold.read(event.record, &rows) }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try apply(changes.timeline, event, &rows)
        try handle(event, &rows, &changes)
    }

    private func apply(_ changes: borrowing TimelineChanges, _ event: RecordView, _ rows: inout FoldRows) throws {
        for change in changes.list {
            guard let local = (change.after ?? change.before)?.local else { continue }
            let isNew = local.rawValue == event.position.rawValue
            guard let root = try isNew ? Self.root(of: event) : rows.snapshot.threadRoot(of: local) else { continue }
            try apply(change, at: OrderKey(changes.order(of: change)), root, &rows)
        }
    }

    private func apply(
        _ change: TimelineChange, at order: OrderKey, _ root: [UInt8], _ rows: inout FoldRows
    ) throws {
        let conversation = change.conversation
        var thread = try rows.snapshot.threadRow(of: root, in: conversation)
        if thread.firstReply.rawValue == 0, let row = change.after {
            thread.firstReply = row.local
            rows.put(Self.threads, ThreadKey(conversation: conversation, root: root), thread)
        }
        let last = try rows.snapshot.lastReply(of: thread, in: conversation)
        let reply = ReplyKey(conversation: conversation, firstReply: thread.firstReply, order: order)
        rows.set(Self.replies, reply, change.after)
        let current = try rows.snapshot.lastReply(of: thread, in: conversation)
        guard current != last else { return }
        if let last { rows.remove(Self.byLastReply, LastReplyKey(conversation: conversation, lastReply: last)) }
        if let current {
            let key = LastReplyKey(conversation: conversation, lastReply: current)
            rows.put(Self.byLastReply, key, ThreadRoot(root: root))
        }
    }

    /// The message to which another replies: the event's own, or one of the log.
    @inline(never)
    fileprivate static func root(of record: RecordView) -> [UInt8]? {
        guard record.type == .messageReceived || record.type == .messageSendQueued,
            let root = record.bytes(of: MessageContext.Fields.replyTo), root.byteCount > 0
        else { return nil }
        return root.copied
    }

    private func read(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        guard let root = event.bytes(of: ThreadRead.root.field)?.copied else { return }
        let before = try rows.snapshot.threadRow(of: root, in: conversation)
        var after = before
        var order = try ReadingPlace(event.order(ThreadRead.upTo.field), of: event, rows.snapshot).order
        if order == nil {
            let last = try rows.snapshot.lastReportedReply(of: before, in: conversation, asOf: event)
            order = last.order
            if last.isBelowAhead { after.aheadReadUpTo = event.position.rawValue }
        }
        if let order { after.readUpTo = max(after.readUpTo, order) }
        guard after != before else { return }
        rows.put(Self.threads, ThreadKey(conversation: conversation, root: root), after)
    }
}

extension ViewSnapshot {
    /// The message that begins the thread to which another one replies.
    @inline(never)
    fileprivate borrowing func threadRoot(of local: LocalMessageID) throws -> [UInt8]? {
        guard let record = try log.record(at: Position(local.rawValue)) else { return nil }
        return Threads.root(of: record)
    }
}

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
    borrowing func lastReportedReply(
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

/// A message with the replies that name it.
public struct MessageThread: Sendable, Hashable, Identifiable {
    /// The server's id of the message that the replies name.
    public let root: ServerMessageID
    /// The message that the replies name; nil if the store does not have it or does not show it.
    public let rootMessage: Message?
    /// How many replies there are: those that are shown and were not recalled; at least 1.
    public let replyCount: Int
    /// The last of these.
    public let lastReply: Message
    /// How many of these are unread: they count, and are above the thread's read marker and that of the conversation.
    public let unreadCount: Int
    /// Up to where the thread was read by itself; nil if it was not.
    public let readUpTo: MessageOrder?

    /// The server's id of the message that the replies name.
    public var id: ServerMessageID { root }

    /// Creates a thread, for previews and tests.
    public init(
        root: ServerMessageID, rootMessage: Message? = nil, replyCount: Int = 1, lastReply: Message,
        unreadCount: Int = 0, readUpTo: MessageOrder? = nil
    ) {
        (self.root, self.rootMessage, self.replyCount) = (root, rootMessage, replyCount)
        (self.lastReply, self.unreadCount, self.readUpTo) = (lastReply, unreadCount, readUpTo)
    }
}

extension Views {
    /// A page of the replies to a message, in the timeline's order.
    ///
    /// Replies are the messages that are shown and whose `context.replyTo` is this very id, direct ones alone. Costs a
    /// seek and a step for each message of the page, independent of the timeline's length.
    ///
    /// - Parameters:
    ///   - root: The server's id of the message, which the store need not have.
    ///   - conversation: Its conversation.
    ///   - part: The part of the replies; anchors may be any messages of the conversation.
    ///   - limit: The maximum number of replies, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for an unknown anchor.
    public borrowing func replies(
        to root: ServerMessageID, in conversation: ConversationKey, _ part: TimelinePart = .latest, limit: Int = 20
    ) throws -> TimelinePage {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return .unknown }
        let thread = try snapshot.threadRow(of: Array(root.rawValue.utf8), in: number)
        return try page(part, of: replyWalk(thread, number), limit: limit)
    }

    /// The thread of a message; nil if it has no replies that are shown and were not recalled.
    ///
    /// Costs a step for each reply.
    ///
    /// - Parameters:
    ///   - root: The server's id of the message, which the store need not have.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func thread(
        of root: ServerMessageID, in conversation: ConversationKey
    ) throws -> MessageThread? {
        guard let number = try snapshot.symbols.number(of: conversation) else { return nil }
        return try thread(Array(root.rawValue.utf8), number, conversation)?.thread
    }

    /// The threads of a conversation, the one with the latest reply first.
    ///
    /// Costs a seek and a step for each thread, and a step for each reply of those that are returned.
    ///
    /// - Parameters:
    ///   - conversation: Whose threads.
    ///   - last: The end of the page before; nil for the first page. The next threads are further back than its last reply
    ///     was then.
    ///   - limit: The maximum number of threads, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func threads(
        in conversation: ConversationKey, after last: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<MessageThread> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return Page([]) }
        let end: LastReplyKey = try last?.key(.thread) ?? LastReplyKey(conversation: number, lastReply: .aboveAll)
        guard end.conversation == number else { throw PageCursor.mismatch }
        let clearing = try snapshot.clearing(of: number)
        let prefix = LastReplyKey(conversation: number).bytes
        var threads: [PlacedThread] = []
        var cursor = try snapshot.rowsBackwards(Threads.byLastReply, before: end)
        while threads.count <= limit, try cursor.next() {
            guard let order = cursor.key.removing(prefix), clearing.floor.precedes(order) else { break }
            let row = try cursor.row(of: Threads.byLastReply)
            guard let thread = try thread(row.root, number, conversation) else {
                throw StoreError.unreadableRow(of: cursor.table, at: cursor.key)
            }
            threads.append(thread)
        }
        if threads.count <= limit, !clearing.kept.isEmpty {
            threads += try keptThreads(below: end.lastReply, clearing.floor, number, conversation)
        }
        return Page(threads.map(\.thread), limit: limit) { _ in
            PageCursor(.thread, LastReplyKey(conversation: number, lastReply: threads[limit - 1].place))
        }
    }

    /// A thread and the place of its last reply.
    private typealias PlacedThread = (thread: MessageThread, place: OrderKey)

    /// The threads of which only messages are left that a clearing kept: their rows have the places of replies that it
    /// did not.
    private borrowing func keptThreads(
        below place: OrderKey, _ floor: OrderKey, _ number: ConversationNumber, _ conversation: ConversationKey
    ) throws -> [PlacedThread] {
        var threads: [PlacedThread] = []
        let prefix = LastReplyKey(conversation: number).bytes
        var cursor = try snapshot.rowsBackwards(
            Threads.byLastReply, before: LastReplyKey(conversation: number, lastReply: floor.next))
        while try cursor.next(), cursor.key.removing(prefix) != nil {
            let row = try cursor.row(of: Threads.byLastReply)
            guard let thread = try thread(row.root, number, conversation), thread.place < place else { continue }
            threads.append(thread)
        }
        return threads.sorted { $1.place < $0.place }
    }

    /// Up to where a thread was read by itself; nil if it was not. Costs a point read.
    package borrowing func readUpTo(thread root: ServerMessageID, in key: ConversationKey) throws -> MessageOrder? {
        guard let number = try snapshot.symbols.number(of: key) else { return nil }
        return MessageOrder(try snapshot.threadRow(of: Array(root.rawValue.utf8), in: number).readUpTo)
    }

    private borrowing func thread(
        _ root: [UInt8], _ number: ConversationNumber, _ conversation: ConversationKey
    ) throws -> PlacedThread? {
        let thread = try snapshot.threadRow(of: root, in: number)
        let replies = try replyWalk(thread, number) { !$0.flags.contains(.isRecalled) }
        guard let last = try replies.older(than: nil, limit: 1, snapshot).rows.first,
            let message = try messages([last]).first
        else { return nil }
        let marker = try snapshot.unreadRow(of: number).marker
        var unreadReplies = try replyWalk(thread, number)
        (unreadReplies.marker, unreadReplies.threadMarker) = (marker, thread.marker)
        let id = ServerMessageID(String(decoding: root, as: UTF8.self))
        let shown = MessageThread(
            root: id, rootMessage: try self.message(.server(id), in: conversation),
            replyCount: try replies.count(above: .belowAll, snapshot), lastReply: message,
            unreadCount: try unreadReplies.count(above: max(thread.readUpTo, marker.lowestUnread), snapshot),
            readUpTo: MessageOrder(thread.readUpTo))
        return (shown, last.order)
    }

    private borrowing func replyWalk(
        _ thread: ThreadRow, _ conversation: ConversationNumber, where isWanted: ((TimelineRow) -> Bool)? = nil
    ) throws -> TimelineWalk {
        TimelineWalk(
            conversation: conversation, clearing: try snapshot.clearing(of: conversation),
            source: .replies(with: thread.firstReply), isWanted: isWanted)
    }
}

extension ProjectionID {
    /// Replies by the message that they name, and how far threads are read.
    public static let threads: ProjectionID = "Threads"
}
