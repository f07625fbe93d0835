@_spi(Storage) internal import MessageStoreLog

/// The projection of edits: which events told another content of a message.
///
/// They are kept by the message's name, so that they may come before it, in the order of their times, by which the one that is
/// shown is chosen as well (d47). Contents stay in the log.
struct MessageEdits: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .messageEdits, version: 2,
        events: .types([.messageModified, .messageSnapshotReceived, .messageSent, .messageDuplicateSuppressed]),
        reads: [.messages], tables: [.messageEdits])

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        switch event.type {
        case .messageModified: try note(at: event.serverTime ?? .unknown, event, &rows)
        case .messageSnapshotReceived:
            guard event.contentType != 0, let time = event[MessageSnapshotReceived.Fields.modifiedTime] else { return }
            try note(at: time, event, &rows)
        default: try rename(by: event, &rows)
        }
    }

    private func note(at time: Timestamp, _ event: RecordView, _ rows: inout FoldRows) throws {
        let edit = EditKey(time: UInt64(clamping: time.milliseconds), position: event.position)
        try event.forEachReference { reference throws in
            for name in try rows.snapshot.names(for: MessageName(reference), in: event.conversationNumber) {
                let key = RowKey.edits(of: name, in: event.conversationNumber) + edit.bytes
                rows.put(.messageEdits, key.span.bytes, NoValue().bytes.span.bytes)
            }
        }
    }

    /// A message got another name, or a name turned out to be of another message: what was told under either is of one.
    private func rename(by event: RecordView, _ rows: inout FoldRows) throws {
        guard let (name, current) = try rows.snapshot.renaming(by: event) else { return }
        let old = RowKey.edits(of: name, in: event.conversationNumber)
        let new = RowKey.edits(of: current, in: event.conversationNumber)
        for edit in try rows.snapshot.edits(old) {
            rows.remove(.messageEdits, (old + edit.bytes).span.bytes)
            rows.put(.messageEdits, (new + edit.bytes).span.bytes, NoValue().bytes.span.bytes)
        }
    }
}

/// The end of a key of `messageEdits`: when the content was changed, and the event that told it.
struct EditKey {
    /// In milliseconds since 1970.
    let time: UInt64
    let position: Position

    init(time: UInt64, position: Position) {
        (self.time, self.position) = (time, position)
    }

    /// Reads the end of a key.
    init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 16, let time = bytes.loadBigEndian(at: 0, as: UInt64.self),
            let position = bytes.loadBigEndian(at: 8, as: UInt64.self)
        else { return nil }
        self.init(time: time, position: Position(position))
    }

    /// The end of a key.
    var bytes: [UInt8] { RowKey.number(time) + RowKey.number(position.rawValue) }
}

extension RowKey {
    /// The beginning of the keys of what was told to be a message's content; times and positions follow.
    static func edits(of name: MessageName, in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + name.countedBytes
    }
}

extension ViewSnapshot {
    /// The edits whose keys begin with a prefix, in their order: all, or so many behind a key.
    // Not inlined, as `forEachDetail`.
    @inline(never)
    borrowing func edits(_ prefix: [UInt8], after last: EditKey? = nil, limit: Int = .max) throws -> [EditKey] {
        let start = prefix + (last?.bytes ?? [])
        var edits: [EditKey] = []
        var cursor = try rows(.messageEdits, from: start.span.bytes)
        while edits.count < limit, try cursor.next(), let end = cursor.key.removing(prefix) {
            let _: NoValue = try cursor.decoded()
            guard let edit = EditKey(end) else { throw StoreError.unreadableRow(of: .messageEdits, at: cursor.key) }
            if last == nil || !cursor.key.isEqual(to: start.span.bytes) { edits.append(edit) }
        }
        return edits
    }
}
