@_spi(Storage) internal import MessageStoreLog

extension MessageDetails {
    /// An event may record that its server id is another name of a message, or name one that repeats another: the facts
    /// recorded under the id belong to those.
    func rename(by event: RecordView, _ rows: inout FoldRows) throws {
        let (named, conversation) = (event.serverID.copied, event.conversationNumber)
        guard try rows.snapshot.hasDetails(of: named, in: conversation) else { return }
        let ids = try Set(rows.snapshot.detailIDs(of: .server(named), in: conversation))
        guard ids != [named] else { return }
        let change = Renaming(named: named, ids: ids, conversation: conversation)
        try joinReactions(change, &rows)
        try join(Self.reactionSets, change, &rows) { $0.join($1) }
        try join(Self.metadata, change, &rows) { $0.join($1) }
        try join(Self.receipts, change, &rows) { $0.join($1) }
        try join(Self.readCounts, change, &rows) { $0.join($1) }
        try join(Self.deliveredCounts, change, &rows) { $0.count = max($0.count, $1.count) }
    }

    /// The later of two sets of all reactions replaces what was recorded under the other id.
    private func joinReactions(_ change: Renaming, _ rows: inout FoldRows) throws {
        let set = try rows.snapshot.reactionSet(of: change.named, in: change.conversation)
        var later: [[UInt8]: (set: LatestValue<NoValue>, counted: Set<[UInt8]>)] = [:]
        for id in change.others {
            let known = try rows.snapshot.reactionSet(of: id, in: change.conversation)
            if let set, known.map({ $0.isEarlier(than: set) }) ?? true {
                try replaceReactions(of: id, by: set, rows.snapshot.countedAlone(by: set), change.conversation, &rows)
            } else if let known {
                later[id] = (known, try rows.snapshot.countedAlone(by: known))
            }
        }
        try join(Self.reactions, change, &rows) { id, part, row in
            guard let (set, counted) = later[id], row.value.since <= set.time else { return row }
            return row.replaced(by: set, countsOthers: counted.contains(part.reaction))
        } joining: {
            $0.join($1)
        }
    }

    /// - Parameter left: The part of a row that belongs to another id as well; nil for nothing.
    private func join<Part: DetailPart, Row: ViewRow>(
        _ table: Table<DetailKey<Part>, Row>, _ change: Renaming, _ rows: inout FoldRows,
        left: (_ id: [UInt8], Part, Row) -> Row? = { _, _, row in row }, joining join: (inout Row, Row) -> Void
    ) throws {
        for (part, row) in try rows.snapshot.details(table, of: change.named, in: change.conversation) {
            for id in change.others {
                guard let row = left(id, part, row) else { continue }
                let key = DetailKey(part, of: id, in: change.conversation)
                var joined = try rows.snapshot.row(table, key) ?? row
                join(&joined, row)
                rows.put(table, key, joined)
            }
            if !change.ids.contains(change.named) {
                rows.remove(table, DetailKey(part, of: change.named, in: change.conversation))
            }
        }
    }
}

/// A server id and those of the messages of which is what was recorded under it.
private struct Renaming {
    let named: [UInt8]
    let ids: Set<[UInt8]>
    let conversation: ConversationNumber

    var others: Set<[UInt8]> { ids.subtracting([named]) }
}

extension ViewSnapshot {
    /// Whether anything was recorded under a server id.
    fileprivate borrowing func hasDetails(of serverID: [UInt8], in conversation: ConversationNumber) throws -> Bool {
        let first = DetailPrefix(conversation: conversation, serverID: serverID, kind: .reaction)
        var cursor = try rows(MessageDetails.reactions, from: first)
        return try cursor.next() && cursor.key.removing(Array(first.bytes.dropLast())) != nil
    }

    /// The reactions of which a set of all counts more users than it names.
    fileprivate borrowing func countedAlone(by set: LatestValue<NoValue>) throws -> Set<[UInt8]> {
        let told = try record(at: Position(set.position), namedBy: MessageDetails.reactionSets.place)
        return MessageDetails.told(by: told).counted
    }
}
