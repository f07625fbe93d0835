@_spi(Storage) internal import MessageStoreLog

extension MessageDetails {
    /// Notes that an event recorded another content of a message, by the time by which the one that is shown is chosen
    /// as well (d47). Contents stay in the log.
    func noteEdit(at time: Timestamp, _ event: RecordView, _ rows: inout FoldRows) throws {
        let edit = EditPart(time: UInt64(clamping: time.milliseconds), position: event.position)
        try forEachName(of: event, &rows) { name, rows in
            rows.put(Self.edits, DetailKey(edit, of: name, in: event.conversationNumber), NoValue())
        }
    }
}

extension ViewSnapshot {
    /// The edits of a message in their order: all, or so many after one.
    // Not inlined, as `forEachDetail`.
    @inline(never)
    borrowing func edits(
        of name: MessageName, in conversation: ConversationNumber, after last: EditPart?, limit: Int
    ) throws -> [EditPart] {
        var edits: [EditPart] = []
        guard limit > 0 else { return edits }
        let start = DetailKey(last ?? EditPart(), of: name, in: conversation)
        try forEachRow(MessageDetails.edits, from: start, under: start.prefix) { key, _ in
            if key.part != last { edits.append(key.part) }
            return edits.count < limit
        }
        return edits
    }
}
