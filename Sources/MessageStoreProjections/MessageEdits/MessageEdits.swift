@_spi(Storage) internal import MessageStoreLog

/// The projection of edits: which events recorded another content of a message.
///
/// They are kept by the message's name, so that they may come before it, in the order of their times, by which the one
/// that is shown is chosen as well (d47). Contents stay in the log.
struct MessageEdits: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .messageEdits, version: 2,
        events: handlers.types,
        reads: [.messages], tables: [edits])
    static var edits: Table<EditKey, NoValue> { Table("messageEdits", 37) }

    static let handlers = EventHandlers<Self>()
        .on(.messageModified) { fold, event, rows, _ in
            try fold.note(at: event.serverTime ?? .unknown, event, &rows)
        }
        .on(.messageSnapshotReceived) { fold, event, rows, _ in
            guard event.contentType != 0, let time = event[MessageSnapshotReceived.Fields.modifiedTime] else { return }
            try fold.note(at: time, event, &rows)
        }
        .on(.messageSent, .messageDuplicateSuppressed) { fold, event, rows, _ in try fold.rename(by: event, &rows) }

    private func note(at time: Timestamp, _ event: RecordView, _ rows: inout FoldRows) throws {
        try event.forEachReference { reference throws in
            for name in try rows.snapshot.names(for: MessageName(reference), in: event.conversationNumber) {
                let key = EditKey(
                    conversation: event.conversationNumber, name: name, time: UInt64(clamping: time.milliseconds),
                    position: event.position)
                rows.put(Self.edits, key, NoValue())
            }
        }
    }

    /// A message got another name, or a name turned out to be of another message: the edits under either are of one
    /// message.
    private func rename(by event: RecordView, _ rows: inout FoldRows) throws {
        guard let (name, current) = try rows.snapshot.renaming(by: event) else { return }
        for key in try rows.snapshot.edits(from: EditKey(conversation: event.conversationNumber, name: name)) {
            rows.remove(Self.edits, key)
            var renamed = key
            renamed.name = current
            rows.put(Self.edits, renamed, NoValue())
        }
    }
}

/// The key of a row of `messageEdits`: a message, when its content was changed, and the event that recorded it.
struct EditKey: ViewKey {
    var conversation = ConversationNumber.none
    var name = MessageName.server([])
    /// In milliseconds since 1970.
    var time: UInt64 = 0
    var position = Position.origin

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.countedMessage(&name)
        parts.part("time", &time, .time)
        parts.part("position", &position)
    }

    static var forms: [EditKey] { MessageName.forms.map { EditKey(name: $0) } }
}

extension ViewSnapshot {
    /// The edits of a key's message in their order: all, or so many after the key.
    // Not inlined, as `forEachDetail`.
    @inline(never)
    borrowing func edits(from start: EditKey, limit: Int = .max) throws -> [EditKey] {
        var edits: [EditKey] = []
        var cursor = try rows(MessageEdits.edits, from: start)
        while edits.count < limit, try cursor.next() {
            let key = try cursor.key(of: MessageEdits.edits)
            guard key.conversation == start.conversation, key.name == start.name else { break }
            let _: NoValue = try cursor.row(of: MessageEdits.edits)
            if key != start { edits.append(key) }
        }
        return edits
    }
}
