extension Views {
    /// A page of the replies to a message, in the timeline's order.
    ///
    /// Replies are the messages that are shown and whose `context.replyTo` is this very id, direct ones alone. Costs a
    /// seek and a step for each message of the page, independent of the timeline's length.
    ///
    /// - Parameters:
    ///   - root: The server's id of the message, which the store need not have.
    ///   - conversation: Its conversation.
    ///   - part: Which part of the replies; anchors may be any messages of the conversation.
    ///   - limit: The maximum number of replies, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for an unknown anchor.
    public borrowing func replies(
        to root: ServerMessageID, in conversation: ConversationKey, _ part: TimelinePart = .latest, limit: Int = 20
    ) throws -> MessagePage {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return MessagePage(messages: []) }
        let thread = try snapshot.threadRow(of: Array(root.rawValue.utf8), in: number)
        let found = try rows(of: replyWalk(thread, number) { _ in true }, part, limit: limit)
        var index: Int?
        if case .around(let anchor) = part {
            let middle = try order(of: anchor, in: number)
            index = found.rows.firstIndex { $0.order == middle }
        }
        return MessagePage(
            messages: try messages(found.rows), index: index, hasOlder: found.hasOlder, hasNewer: found.hasNewer)
    }

    /// The thread of a message; nil where it has no replies that are shown and were not recalled.
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
        return try thread(Array(root.rawValue.utf8), number, conversation)
    }

    /// The threads of a conversation, the one with the latest reply first.
    ///
    /// Costs a seek and a step for each thread, and a step for each reply of those that are returned.
    ///
    /// - Parameters:
    ///   - conversation: Whose threads.
    ///   - last: The last one of the page before; nil for the first page. What comes is further back than its last
    ///     reply was then.
    ///   - limit: The maximum number of threads, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for a thread of another
    ///   conversation.
    public borrowing func threads(
        in conversation: ConversationKey, after last: MessageThread? = nil, limit: Int = 20
    ) throws -> Page<MessageThread, MessageThread> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return Page([]) }
        var place = OrderKey.aboveAll
        if let last { place = try last.place ?? order(of: .message(.local(last.lastReply.id)), in: number) }
        let clearing = try snapshot.clearing(of: number)
        let prefix = LastReplyKey(conversation: number).bytes
        var threads: [MessageThread] = []
        var cursor = try snapshot.rowsBackwards(
            Threads.byLastReply, before: LastReplyKey(conversation: number, lastReply: place))
        while threads.count <= limit, try cursor.next() {
            guard let order = cursor.key.removing(prefix), clearing.floor.precedes(order) else { break }
            let row = try cursor.row(of: Threads.byLastReply)
            guard let thread = try thread(row.root, number, conversation) else {
                throw StoreError.unreadableRow(of: cursor.table, at: cursor.key)
            }
            threads.append(thread)
        }
        if threads.count <= limit, !clearing.kept.isEmpty {
            threads += try keptThreads(below: place, clearing.floor, number, conversation)
        }
        return Page(threads, limit: limit, next: { $0 })
    }

    /// The threads of which only messages are left that a clearing kept: their rows have the places of replies that it
    /// did not.
    private borrowing func keptThreads(
        below place: OrderKey, _ floor: OrderKey, _ number: ConversationNumber, _ conversation: ConversationKey
    ) throws -> [MessageThread] {
        var threads: [(place: OrderKey, thread: MessageThread)] = []
        let prefix = LastReplyKey(conversation: number).bytes
        var cursor = try snapshot.rowsBackwards(
            Threads.byLastReply, before: LastReplyKey(conversation: number, lastReply: floor.next))
        while try cursor.next(), cursor.key.removing(prefix) != nil {
            let row = try cursor.row(of: Threads.byLastReply)
            guard let thread = try thread(row.root, number, conversation), let last = thread.place, last < place
            else { continue }
            threads.append((last, thread))
        }
        return threads.sorted { $1.place < $0.place }.map(\.thread)
    }

    private borrowing func thread(
        _ root: [UInt8], _ number: ConversationNumber, _ conversation: ConversationKey
    ) throws -> MessageThread? {
        let thread = try snapshot.threadRow(of: root, in: number)
        let replies = try replyWalk(thread, number) { !$0.flags.contains(.isRecalled) }
        guard let last = try replies.older(than: nil, limit: 1, snapshot).rows.first,
            let message = try messages([last]).first
        else { return nil }
        let marker = try snapshot.unreadRow(of: number).marker
        var unreadReplies = try replyWalk(thread, number) { _ in true }
        (unreadReplies.marker, unreadReplies.threadMarker) = (marker, thread.marker)
        let id = ServerMessageID(String(decoding: root, as: UTF8.self))
        return MessageThread(
            root: id, rootMessage: try self.message(.server(id), in: conversation),
            replyCount: try replies.count(above: .belowAll, snapshot), lastReply: message,
            unreadCount: try unreadReplies.count(above: max(thread.readUpTo, marker.lowestUnread), snapshot),
            readUpTo: MessageOrder(thread.readUpTo), place: last.order)
    }

    private borrowing func replyWalk(
        _ thread: ThreadRow, _ conversation: ConversationNumber, where isWanted: @escaping (TimelineRow) -> Bool
    ) throws -> TimelineWalk {
        TimelineWalk(
            conversation: conversation, clearing: try snapshot.clearing(of: conversation),
            source: .replies(with: thread.firstReply), isWanted: isWanted)
    }
}
