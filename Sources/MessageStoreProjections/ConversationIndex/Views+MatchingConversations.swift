@_spi(Storage) internal import MessageStoreLog

extension Views {
    /// The conversations that match a query, the latest activity first.
    ///
    /// Costs a step and a few point reads for each conversation that one index finds: that of the first condition
    /// given, in the order id, exact members, name, members, tag, creator, attribute. Without any of these the
    /// conversation list is walked or, if deleted conversations or chat rooms are included, every conversation.
    ///
    /// - Parameters:
    ///   - query: The conditions.
    ///   - limit: The maximum number of conversations, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func conversations(matching query: ConversationQuery, limit: Int = 10) throws -> [Conversation] {
        guard Self.pageLimits.contains(limit) else {
            throw StoreError(.invalidArgument, "a limit of \(limit); 1 to 1000 are allowed")
        }
        guard let query = try ResolvedQuery(query, snapshot) else { return [] }
        var found: [(activity: UInt64, number: ConversationNumber)]
        if let candidates = try query.candidates(snapshot) {
            found = try candidates.compactMap { number in
                try query.match(number, snapshot).map { ($0.activity, number) }
            }
        } else if query.query.includesHidden || query.query.includesChatRooms {
            found = try matches(of: query)
        } else {
            found = try listed(query, isPinned: true, limit) + listed(query, isPinned: false, limit)
        }
        found.sort { ($1.activity, $0.number) < ($0.activity, $1.number) }
        return try found.prefix(limit).compactMap { found in
            try conversation(found.number)
        }
    }

    /// The conversations that carry a tag, the latest activity first; see ``conversations(matching:limit:)``.
    ///
    /// - Parameters:
    ///   - tag: The tag, compared byte for byte.
    ///   - limit: The maximum number of conversations, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func conversations(tagged tag: String, limit: Int = 50) throws -> [Conversation] {
        try conversations(matching: ConversationQuery(tag: tag), limit: limit)
    }

    /// The first conversations of one half of the list that match; each half is ordered by activity.
    private borrowing func listed(
        _ query: ResolvedQuery, isPinned: Bool, _ limit: Int
    ) throws -> [(activity: UInt64, number: ConversationNumber)] {
        let rank = RowKey.listRank(isPinned: isPinned)
        var found: [(activity: UInt64, number: ConversationNumber)] = []
        var cursor = try snapshot.rows(.conversationOrder, from: rank.span.bytes)
        while found.count < limit, try cursor.next(), cursor.key.load(at: 0, as: UInt8.self) == rank[0] {
            let number: ConversationNumber = try cursor.keyNumber(at: 9)
            if let row = try query.match(number, snapshot) { found.append((row.activity, number)) }
        }
        return found
    }

    private borrowing func matches(of query: ResolvedQuery) throws -> [(activity: UInt64, number: ConversationNumber)] {
        var found: [(activity: UInt64, number: ConversationNumber)] = []
        var cursor = try snapshot.rows(.conversations)
        while try cursor.next() {
            let number: ConversationNumber = try cursor.keyNumber(at: 0)
            if let row = try query.match(number, snapshot) { found.append((row.activity, number)) }
        }
        return found
    }
}
