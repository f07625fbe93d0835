@_spi(Storage) internal import MessageStoreLog

extension MessageDetails {
    /// Notes the file of a message that this device keeps, or that it is gone, whatever becomes of the message (d48).
    /// The file of a repeat is kept by its original's name while no event recorded one for the original itself. The
    /// size says whether a file is there: it is a field, and redaction removes the path.
    func noteFile(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        let part = FilePart(index: event[AttachmentStateChanged.index] ?? 0)
        let names = try rows.snapshot.names(ofFile: event)
        guard let own = names.first, let original = names.last else { return }
        let kept = try rows.snapshot.hasFile(part, of: original, besides: own, in: conversation) ? own : original
        for name in kept == own ? [own] : [kept, own] {
            let key = DetailKey(part, of: name, in: conversation)
            let old = try rows.snapshot.row(Self.files, key)
            var row = LocalFileRow(position: event.position.rawValue)
            if name == kept, let byteCount = event[AttachmentStateChanged.byteCount] {
                row.byteCount = byteCount
                row.since = old?.kept?.since ?? row.position
            }
            try Self.setFile(key, from: old, to: row, &rows)
        }
    }

    static func setFile(
        _ key: DetailKey<FilePart>, from old: LocalFileRow?, to row: LocalFileRow?, _ rows: inout FoldRows
    ) throws {
        rows.set(files, key, row)
        let (message, index) = (key.message, key.part.index)
        for scope in [message.conversation, .none] {
            for order in LocalFileOrder.allCases {
                func key(_ row: LocalFileRow) -> RankedFileKey {
                    RankedFileKey(
                        scope: scope, order: order,
                        rank: order.rank(byteCount: row.byteCount, since: row.since, index: index),
                        conversation: message.conversation, name: message.name)
                }
                if let old = old?.kept { rows.remove(fileOrder, key(old)) }
                if let row = row?.kept { rows.put(fileOrder, key(row), NoValue()) }
            }
            try countFile(row?.kept, from: old?.kept, in: scope, &rows)
        }
    }

    private static func countFile(
        _ row: LocalFileRow?, from old: LocalFileRow?, in scope: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        guard row?.byteCount != old?.byteCount else { return }
        guard let total = try rows.snapshot.localFileTotal(in: scope).replacing(old, by: row) else {
            throw StoreError.impossibleCount(in: fileTotals, at: scope)
        }
        rows.set(fileTotals, scope, total.count == 0 ? nil : total)
    }
}

extension ViewSnapshot {
    /// The name of a message of which an event recorded a file, and last that of its original if it is a repeat.
    fileprivate borrowing func names(ofFile event: RecordView) throws -> [MessageName] {
        var names: [MessageName] = []
        try event.forEachReference { reference throws in
            names = try self.names(for: MessageName(reference), in: event.conversationNumber)
        }
        return names
    }

    /// Whether an original has a file that no event recorded for the repeat.
    fileprivate borrowing func hasFile(
        _ part: FilePart, of original: MessageName, besides repeated: MessageName, in conversation: ConversationNumber
    ) throws -> Bool {
        guard original != repeated,
            let file = try row(MessageDetails.files, DetailKey(part, of: original, in: conversation))?.kept
        else { return false }
        let record = try record(at: Position(file.position), namedBy: MessageDetails.files.place)
        return try names(ofFile: record).first != repeated
    }

    /// The file of a message that this device keeps, or nil.
    borrowing func localFile(
        _ index: UInt8, of name: MessageName, in conversation: ConversationNumber
    ) throws -> LocalFileRow? {
        try row(MessageDetails.files, DetailKey(FilePart(index: index), of: name, in: conversation))?.kept
    }

    /// How many files this device keeps of a conversation, or of all where there is none.
    borrowing func localFileTotal(in scope: ConversationNumber) throws -> LocalFileTotal {
        try row(MessageDetails.fileTotals, scope) ?? LocalFileTotal()
    }
}
