@_spi(Storage) internal import MessageStoreLog

/// The projection of pinned and starred messages.
///
/// Marks are merged by their time as settings are, and kept by the message's name, so that they may come before it
/// (d41). Whether a marked message is shown is seen when the marks are read.
struct MessageMarks: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .messageMarks, version: 2,
        events: handlers.types,
        reads: [.messages], tables: [marks, marked])
    static var marks: Table<MarkKey, MarkRow> { Table("messageMarks", 32) }
    static var marked: Table<MarkedKey, NoValue> { Table("markedMessages", 33) }

    static let handlers = EventHandlers<Self>()
        .on(MessagePinned.self) { fold, event, rows, _ in
            try fold.choose(.pin, event[MessagePinned.isPinned], event[MessagePinned.time], event.record, &rows)
        }
        .on(MessageStarred.self) { fold, event, rows, _ in
            try fold.choose(.star, event[MessageStarred.isStarred], event[MessageStarred.time], event.record, &rows)
        }
        .on(.messageSent, .messageDuplicateSuppressed) { fold, event, rows, _ in
            try fold.rename(by: event, &rows)
            guard
                let name = try rows.snapshot.name(for: .server(event.serverID.copied), in: event.conversationNumber)
            else { return }
            try fold.share(name, event.conversationNumber, &rows)
        }

    /// Notes a choice where it takes effect.
    private func choose(
        _ mark: MessageMark, _ isSet: Bool, _ time: Timestamp?, _ event: RecordView, _ rows: inout FoldRows
    ) throws {
        var names: Set<MessageName> = []
        try event.forEachReference { reference throws in
            names = try rows.snapshot.names(for: MessageName(reference), in: event.conversationNumber)
        }
        for name in names {
            let old = try rows.snapshot.markRow(mark, of: name, in: event.conversationNumber)
            let chosen = MarkRow(
                time: event.timeOfChoice(time), isSet: isSet, actor: event.actorNumber,
                position: event.position.rawValue)
            if time != nil, let old, old.holds(against: chosen) { continue }
            set(chosen, from: old, mark, of: name, event.conversationNumber, &rows)
        }
    }

    /// A message got another name, or a name turned out to be of another message: the later marks of the two hold.
    private func rename(by event: RecordView, _ rows: inout FoldRows) throws {
        guard let (name, current) = try rows.snapshot.renaming(by: event) else { return }
        let conversation = event.conversationNumber
        for mark in MessageMark.allCases {
            guard let row = try rows.snapshot.markRow(mark, of: name, in: conversation) else { continue }
            set(nil, from: row, mark, of: name, conversation, &rows)
            try offer(row, mark, to: current, conversation, &rows)
        }
    }

    /// A message turned out to repeat another: what was chosen for it before is chosen for that one as well.
    private func share(_ name: MessageName, _ conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        for original in try rows.snapshot.names(for: name, in: conversation) where original != name {
            for mark in MessageMark.allCases {
                guard let row = try rows.snapshot.markRow(mark, of: name, in: conversation) else { continue }
                try offer(row, mark, to: original, conversation, &rows)
            }
        }
    }

    private func offer(
        _ row: MarkRow, _ mark: MessageMark, to name: MessageName, _ conversation: ConversationNumber,
        _ rows: inout FoldRows
    ) throws {
        let known = try rows.snapshot.markRow(mark, of: name, in: conversation)
        guard known.map(row.holds) ?? true else { return }
        set(row, from: known, mark, of: name, conversation, &rows)
    }

    private func set(
        _ row: MarkRow?, from old: MarkRow?, _ mark: MessageMark, of name: MessageName,
        _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) {
        rows.set(Self.marks, MarkKey(conversation: conversation, mark: mark, name: name), row)
        for scope in mark.scopes(conversation) {
            var listed = MarkedKey(scope: scope, mark: mark, conversation: conversation, name: name)
            if let old, old.isSet {
                listed.invertedTime = ~old.time
                rows.remove(Self.marked, listed)
            }
            if let row, row.isSet {
                listed.invertedTime = ~row.time
                rows.put(Self.marked, listed, NoValue())
            }
        }
    }
}

extension ViewSnapshot {
    /// When a message was last marked or unmarked, or nil.
    borrowing func markRow(
        _ mark: MessageMark, of name: MessageName, in conversation: ConversationNumber
    ) throws -> MarkRow? {
        try row(MessageMarks.marks, MarkKey(conversation: conversation, mark: mark, name: name))
    }
}
