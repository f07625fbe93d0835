@_spi(Storage) internal import MessageStoreLog

/// The projection of the files that this device keeps, by size and age, and of their sums.
///
/// The key of a file is its index and its message's name, so an event may record it before its message; it stays until
/// another event removes it, whatever becomes of the message (d48). The file of a repeat is kept by its original's name
/// while no event recorded one for the original itself. The size says whether a file is there: it is a field, and
/// redaction removes the path.
struct LocalFiles: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .localFiles, version: 2, events: handlers.types,
        reads: [.messages], tables: [totals, files, order])
    static var files: Table<LocalFileKey, LocalFileRow> { Table("localFiles", 38) }
    static var totals: Table<ConversationNumber, LocalFileTotal> { Table("localFiles", 38) }
    static var order: Table<RankedFileKey, NoValue> { Table("localFileOrder", 39) }

    static let handlers = EventHandlers<Self>()
        .on(.attachmentStateChanged) { fold, event, rows, _ in try fold.tell(event, &rows) }
        .on(.messageSent, .messageDuplicateSuppressed) { fold, event, rows, _ in try fold.rename(by: event, &rows) }

    private func tell(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        var told: (own: MessageName, original: MessageName)?
        try event.forEachReference { reference throws in
            told = try rows.snapshot.fileNames(for: MessageName(reference), in: conversation)
        }
        guard let (own, original) = told else { return }
        let index = event[AttachmentStateChanged.index] ?? 0
        let kept = try rows.snapshot.hasFile(index, of: original, besides: own, in: conversation) ? own : original
        let position = event.position.rawValue
        let old = try rows.snapshot.localFile(index, of: kept, in: conversation)
        let row = event[AttachmentStateChanged.byteCount].map {
            LocalFileRow(position: position, since: old?.since ?? position, byteCount: $0)
        }
        try set(index, row, from: old, of: kept, conversation, &rows)
        guard own != kept else { return }
        try set(
            index, nil, from: rows.snapshot.localFile(index, of: own, in: conversation), of: own, conversation, &rows)
    }

    /// A message got another name, or a name turned out to be of another message: the last record under either applies.
    private func rename(by event: RecordView, _ rows: inout FoldRows) throws {
        guard let (name, current) = try rows.snapshot.renaming(by: event) else { return }
        let conversation = event.conversationNumber
        guard let local = try rows.snapshot.local(of: current, in: conversation),
            let state = try rows.snapshot.messageState(of: local)
        else { return }
        for (index, last) in state.attachments.all {
            try rename(index, lastToldAt: last, from: name, to: current, conversation, &rows)
        }
    }

    private func rename(
        _ index: UInt8, lastToldAt last: UInt64, from name: MessageName, to current: MessageName,
        _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        let renamed = try rows.snapshot.localFile(index, of: name, in: conversation)
        let known = try rows.snapshot.localFile(index, of: current, in: conversation)
        let files = [renamed, known].compactMap(\.self)
        guard var row = files.max(by: { $0.position < $1.position }) else { return }
        row.since = files.map(\.since).min() ?? row.since
        let isGone = try last > row.position && rows.snapshot.isTold(of: current, in: conversation, at: last)
        try set(index, nil, from: renamed, of: name, conversation, &rows)
        try set(index, isGone ? nil : row, from: known, of: current, conversation, &rows)
    }

    private func set(
        _ index: UInt8, _ row: LocalFileRow?, from old: LocalFileRow?, of name: MessageName,
        _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        if row != nil || old != nil {
            rows.set(Self.files, LocalFileKey(conversation: conversation, index: index, name: name), row)
        }
        for scope in [conversation, .none] {
            for order in LocalFileOrder.allCases {
                func key(_ row: LocalFileRow) -> RankedFileKey {
                    let rank = order.rank(byteCount: row.byteCount, since: row.since, index: index)
                    return RankedFileKey(scope: scope, order: order, rank: rank, conversation: conversation, name: name)
                }
                if let old { rows.remove(Self.order, key(old)) }
                if let row { rows.put(Self.order, key(row), NoValue()) }
            }
            try count(row, from: old, in: scope, &rows)
        }
    }

    private func count(
        _ row: LocalFileRow?, from old: LocalFileRow?, in scope: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        guard row?.byteCount != old?.byteCount else { return }
        guard let total = try rows.snapshot.localFileTotal(in: scope).replacing(old, by: row) else {
            throw StoreError.impossibleCount(in: Self.totals, at: scope)
        }
        rows.set(Self.totals, scope, total.count == 0 ? nil : total)
    }
}

extension ViewSnapshot {
    /// The name of a message that an event names, and that of its original if it is a repeat.
    fileprivate borrowing func fileNames(
        for named: MessageName, in conversation: ConversationNumber
    ) throws -> (own: MessageName, original: MessageName)? {
        guard let own = try name(for: named, in: conversation) else { return nil }
        let names = try names(for: named, in: conversation)
        return (own, names.first { $0 != own } ?? own)
    }

    /// The same for the event at a position, which recorded an attachment.
    // Not inlined, as the look-ups of `Messages`.
    @inline(never)
    fileprivate borrowing func fileNames(
        at position: UInt64, in conversation: ConversationNumber
    ) throws -> (own: MessageName, original: MessageName)? {
        guard let record = try log.record(at: Position(position)) else { return nil }
        var named: MessageName?
        try record.forEachReference { reference throws in named = MessageName(reference) }
        guard let named else { return nil }
        return try fileNames(for: named, in: conversation)
    }

    /// Whether an original has a file that no event recorded for the repeat.
    fileprivate borrowing func hasFile(
        _ index: UInt8, of original: MessageName, besides repeated: MessageName, in conversation: ConversationNumber
    ) throws -> Bool {
        guard original != repeated, let row = try localFile(index, of: original, in: conversation) else { return false }
        return try fileNames(at: row.position, in: conversation)?.own != repeated
    }

    /// Whether the event at a position, the last about an attachment in a message's state, names the message itself.
    fileprivate borrowing func isTold(
        of name: MessageName, in conversation: ConversationNumber, at last: UInt64
    ) throws -> Bool {
        // An event about a repeat changes its original's state as well, but not its original's file.
        guard let (own, original) = try fileNames(at: last, in: conversation) else { return true }
        return own == name || original != name
    }
}
