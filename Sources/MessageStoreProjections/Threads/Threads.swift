@_spi(Storage) internal import MessageStoreLog

/// The projection of threads: replies by the message that they name, threads by their last reply, and read markers.
///
/// Replies have the rows of the timeline, under their thread. Cleared replies keep their rows, as in the timeline
/// (d46).
struct Threads: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .threads, version: 4, events: handlers.types, reads: [.messages, .timeline], tables: replies, threads,
        byLastReply)
    static var replies: Table<ReplyKey, TimelineRow> { Table("replies", 35) }
    static var threads: Table<ThreadKey, ThreadRow> { Table("threads", 36) }
    static var byLastReply: Table<LastReplyKey, ThreadRoot> { Table("threads", 36) }

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
            let last = try rows.snapshot.lastToldReply(of: before, in: conversation, asOf: event)
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
