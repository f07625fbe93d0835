/// A reaction to a message and who gave it.
public struct Reaction: Sendable, Hashable {
    /// The reaction, such as an emoji.
    public let key: String
    /// Who gave it, as far as the server named them, the first one first.
    public let users: [UserID]
    /// How many users gave it: the server's last number, raised and lowered by later changes; else the number of users.
    public let count: Int

    /// Creates a reaction, for previews and tests.
    public init(key: String, users: [UserID], count: Int? = nil) {
        self.key = key
        self.users = users
        self.count = count ?? users.count
    }
}

extension Views {
    /// The reactions to a message, in the order in which they were first given by those who still give them; those that
    /// one `MessageSnapshotReceived` reported sort at its time, in the order of their keys and users.
    ///
    /// Facts about a server id are returned even if its message has not arrived. Costs a step for each reaction ever
    /// given.
    ///
    /// - Parameters:
    ///   - message: The message, by either id.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func reactions(
        to message: MessageReference, in conversation: ConversationKey
    ) throws -> [Reaction] {
        var rows: [GivenReaction] = []
        try snapshot.forEachDetail(MessageDetails.reactions, of: message, in: conversation) { part, row in
            rows.append(GivenReaction(row: row, key: part.reaction, user: try snapshot.symbols.user(part.user)))
        }
        var set: (row: LatestValue<NoValue>, counts: [ReactionSummary])?
        try snapshot.forEachDetail(MessageDetails.reactionSets, of: message, in: conversation) { _, row in
            set = (row, try snapshot.countedReactions(at: Position(row.position)))
        }
        rows.sort { $0.precedes($1) }
        var reactions: [(key: [UInt8], place: ReactionPlace, users: [UserID])] = []
        for given in rows where given.row.isGiven {
            if let index = reactions.firstIndex(where: { $0.key == given.key }) {
                reactions[index].users.append(given.user)
            } else {
                reactions.append((given.key, (given.row.time, given.row.position), [given.user]))
            }
        }
        guard let set, !set.counts.isEmpty else {
            return reactions.map { Reaction(key: String(decoding: $0.key, as: UTF8.self), users: $0.users) }
        }
        return Self.counting(set.counts, toldBy: set.row, rows, reactions)
    }

    /// The key-value pairs attached to a message.
    ///
    /// Facts about a server id are returned even if its message has not arrived.
    ///
    /// - Parameters:
    ///   - message: The message, by either id.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func metadata(
        of message: MessageReference, in conversation: ConversationKey
    ) throws -> [String: String] {
        var pairs: [String: String] = [:]
        try snapshot.forEachDetail(MessageDetails.metadata, of: message, in: conversation) { part, row in
            if row.isSet { pairs[part.key] = row.value.value }
        }
        return pairs
    }

    /// Reactions with the numbers that the server reported, raised and lowered by later changes.
    private static func counting(
        _ told: [ReactionSummary], toldBy set: LatestValue<NoValue>, _ rows: [GivenReaction],
        _ named: [(key: [UInt8], place: ReactionPlace, users: [UserID])]
    ) -> [Reaction] {
        var all = named
        for summary in told where !named.contains(where: { $0.key == Array(summary.key.utf8) }) {
            all.append((Array(summary.key.utf8), (set.time, set.position), []))
        }
        all.sort { first, second in
            if first.place != second.place { return first.place < second.place }
            return first.key.lexicographicallyPrecedes(second.key)
        }
        return all.compactMap { key, _, users in
            let name = String(decoding: key, as: UTF8.self)
            guard let summary = told.first(where: { Array($0.key.utf8) == key }) else {
                return Reaction(key: name, users: users)
            }
            var count = Int(summary.count ?? 0)
            for given in rows where given.key == key {
                count += given.row.change(since: set, isNamed: summary.users.contains(given.user))
            }
            count = max(count, users.count)
            return count > 0 ? Reaction(key: name, users: users, count: count) : nil
        }
    }
}

extension ViewSnapshot {
    /// The reactions that the snapshot of a message at a position reports with a number.
    fileprivate borrowing func countedReactions(at position: Position) throws -> [ReactionSummary] {
        let record = try record(at: position, namedBy: MessageDetails.reactionSets.place)
        let event = try RecordDecoder(symbols: symbols, omitsContent: true).event(from: record)
        guard let told = event.payload as? MessageSnapshotReceived else {
            throw StoreError.danglingRow(in: MessageDetails.reactionSets.place, position: position)
        }
        return (told.reactions ?? []).filter { $0.count != nil }
    }
}

/// When a reaction was given first by those who give it, and the position of that.
private typealias ReactionPlace = (time: Int64, position: UInt64)

/// A row of a reaction.
private struct GivenReaction {
    let row: ReactionRow
    let key: [UInt8]
    let user: UserID

    func precedes(_ other: GivenReaction) -> Bool {
        if (row.time, row.position) != (other.row.time, other.row.position) {
            return (row.time, row.position) < (other.row.time, other.row.position)
        }
        return key == other.key ? user < other.user : key.lexicographicallyPrecedes(other.key)
    }
}
