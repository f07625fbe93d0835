@_spi(Storage) internal import MessageStoreLog

extension MessageDetails {
    /// Notes a choice to mark a message where it takes effect: marks are merged by their time as settings are (d41).
    /// Whether a marked message is shown is seen when the marks are read.
    func choose(
        _ mark: MessageMark, _ isSet: Bool, _ time: Timestamp?, _ event: RecordView, _ rows: inout FoldRows
    ) throws {
        let chosen = MarkRow(
            time: event.timeOfChoice(time), isSet: isSet, actor: event.actorNumber, position: event.position.rawValue)
        try forEachName(of: event, &rows) { name, rows in
            let key = DetailKey(MarkPart(mark: mark), of: name, in: event.conversationNumber)
            let old = try rows.snapshot.row(Self.marks, key)
            if time != nil, let old, old.holds(against: chosen) { return }
            Self.setMark(key, from: old, to: chosen, &rows)
        }
    }

    static func setMark(
        _ key: DetailKey<MarkPart>, from old: MarkRow?, to row: MarkRow?, _ rows: inout FoldRows
    ) {
        rows.set(marks, key, row)
        let (mark, message) = (key.part.mark, key.message)
        for scope in mark.scopes(message.conversation) {
            var listed = MarkedKey(scope: scope, mark: mark, conversation: message.conversation, name: message.name)
            if let old, old.isSet {
                listed.invertedTime = ~old.time
                rows.remove(marked, listed)
            }
            if let row, row.isSet {
                listed.invertedTime = ~row.time
                rows.put(marked, listed, NoValue())
            }
        }
    }
}
