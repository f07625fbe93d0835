extension Views {
    /// A page of the conversations that match a query.
    ///
    /// Costs a few point reads for each conversation that is looked at: the ones that one index finds, if the query's
    /// condition, or one of the conditions that all have to hold, is a set of members, a tag, the equality of an id, a
    /// name, a creator or an attribute, or a range of numbers of an attribute; else all that are listed, or, if deleted
    /// conversations or chat rooms are included, all, for which ranges of numbers are no help. Without an order and
    /// without an index the list is walked only until the page is full, and so it is where more numbers are in the
    /// range than that takes. Conversations in the archive are found as well, unless a condition on
    /// ``ConversationProperty/isArchived`` that has to hold leaves them out. The cost never depends on how many
    /// messages there are.
    ///
    /// - Parameters:
    ///   - query: The condition and the order.
    ///   - cursor: The end of the page before; nil for the first page. It stays valid when conversations change: the
    ///     next page holds what comes after the place that the last conversation had.
    ///   - limit: The maximum number of conversations, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, a comparison with a list, an object or null,
    ///   and a cursor of another order.
    public borrowing func conversations(
        matching query: ConversationQuery, after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Conversation> {
        try Self.check(limit: limit)
        let start = try cursor.map { try QueryPlace($0, in: query.order) }
        let condition = try ResolvedCondition(query.condition, snapshot)
        var places: [QueryPlace] = []
        // One more than fits shows whether there is another page.
        let wanted = query.order.isEmpty ? limit + 1 : .max
        try forEachMatch(of: condition, in: query, from: start, upTo: wanted) { candidate throws in
            let place = try QueryPlace(&candidate, query.order, snapshot)
            if let start, !start.precedes(place, in: query.order) { return false }
            places.append(place)
            return true
        }
        places.sort { $0.precedes($1, in: query.order) }
        let page = places.prefix(limit)
        let next = places.count > limit ? page.last : nil
        return Page(
            try page.compactMap { try conversation($0.number) }, next: try next.map { try $0.cursor(in: query.order) })
    }

    /// How many conversations match a query.
    ///
    /// Costs what ``conversations(matching:after:limit:)`` costs for a query with an order; where the condition is a range
    /// of numbers alone, a step in the index for each conversation that it finds.
    ///
    /// - Throws: `StoreError`: `invalidArgument` for a comparison with a list, an object or null.
    public borrowing func conversationCount(matching query: ConversationQuery) throws -> Int {
        let condition = try ResolvedCondition(query.condition, snapshot)
        var count = 0
        try forEachMatch(of: condition, in: query, from: nil, upTo: .max) { _ in
            count += 1
            return true
        }
        return count
    }

    /// The conversations that carry a tag, the latest activity first; see ``conversations(matching:after:limit:)``.
    ///
    /// - Parameters:
    ///   - tag: The tag, compared byte for byte.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of conversations, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func conversations(
        tagged tag: String, after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Conversation> {
        try conversations(matching: ConversationQuery(.tagged(tag)), after: cursor, limit: limit)
    }

    /// Calls `body` with the conversations that match, each once; it answers whether it took one.
    ///
    /// - Parameters:
    ///   - start: The place at which the walk enters the conversation list.
    ///   - wanted: How many of each part of the conversation list are enough.
    borrowing func forEachMatch(
        of condition: ResolvedCondition, in query: ConversationQuery, from start: QueryPlace?, upTo wanted: Int,
        _ body: (inout QueriedConversation) throws -> Bool
    ) throws {
        if let index = try condition.index(snapshot), try isWorthwhile(index, for: query, upTo: wanted) {
            try forEachMatch(in: index, condition, query, body)
        } else if query.includesHidden || query.includesChatRooms {
            var cursor = try snapshot.rows(ConversationList.conversations.viewTable)
            while try cursor.next() {
                var candidate = QueriedConversation(try cursor.key(of: ConversationList.conversations))
                _ = try match(&candidate, condition, query, body)
            }
        } else {
            let archived = condition.archived
            for rank in ListRank.allCases where archived.contains(rank.isArchived) {
                try forEachListed(rank, condition, query, from: start, upTo: wanted, body)
            }
        }
    }

    /// Walks one part of the conversation list; each is ordered by activity.
    private borrowing func forEachListed(
        _ rank: ListRank, _ condition: ResolvedCondition, _ query: ConversationQuery, from start: QueryPlace?,
        upTo wanted: Int, _ body: (inout QueriedConversation) throws -> Bool
    ) throws {
        var first = ListKey(rank)
        if let start, query.order.isEmpty { first = ListKey(rank, activity: start.activity, start.number) }
        var count = 0
        var cursor = try snapshot.rows(ConversationList.order, from: first)
        while count < wanted, try cursor.next() {
            let key = try cursor.key(of: ConversationList.order)
            guard key.rank == rank else { break }
            var candidate = QueriedConversation(key.conversation)
            if try match(&candidate, condition, query, body) { count += 1 }
        }
    }

    /// Whether to look at what an index finds costs less than a walk over the list until a page is full.
    ///
    /// Numbers are in the index of listed conversations alone, and a condition on them may hold for most. A page of the
    /// list is full after one of `wanted` × listed ÷ found conversations.
    private borrowing func isWorthwhile(
        _ index: ResolvedCondition.Index, for query: ConversationQuery, upTo wanted: Int
    ) throws -> Bool {
        guard !index.numbers.isEmpty else { return true }
        if query.includesHidden || query.includesChatRooms { return false }
        guard wanted < .max else { return true }
        let listed = try snapshot.greatestRowCount(ConversationList.order.viewTable)
        var rest = Int((Double(wanted) * Double(listed)).squareRoot())
        for numbers in index.numbers {
            try snapshot.forEachConversation(with: numbers) { _, _ in
                rest -= 1
                return rest >= 0
            }
        }
        return rest >= 0
    }

    /// Looks at what an index finds, each conversation once.
    private borrowing func forEachMatch(
        in index: ResolvedCondition.Index, _ condition: ResolvedCondition, _ query: ConversationQuery,
        _ body: (inout QueriedConversation) throws -> Bool
    ) throws {
        var seen = try snapshot.conversationNumbers(indexedBy: index.keys)
        for number in seen {
            var candidate = QueriedConversation(number)
            _ = try match(&candidate, condition, query, body)
        }
        let areSingle = index.keys.isEmpty && index.numbers.count == 1
        for numbers in index.numbers {
            try snapshot.forEachConversation(with: numbers) { conversation, number in
                guard areSingle || seen.insert(conversation).inserted else { return true }
                var candidate = QueriedConversation(conversation, found: (numbers.name, number))
                _ = try match(&candidate, condition, query, body)
                return true
            }
        }
    }

    /// Calls `body` with a conversation that matches; answers whether it took it.
    borrowing func match(
        _ candidate: inout QueriedConversation, _ condition: ResolvedCondition,
        _ query: ConversationQuery,
        _ body: (inout QueriedConversation) throws -> Bool
    ) throws -> Bool {
        guard try candidate.isShown(in: query, snapshot), try condition.holds(for: &candidate, snapshot)
        else {
            return false
        }
        return try body(&candidate)
    }
}

extension ViewSnapshot {
    /// The numbers of the conversations that may have one of some values.
    borrowing func conversationNumbers(
        indexedBy keys: some Sequence<ConversationIndexKey>
    ) throws -> Set<ConversationNumber> {
        var numbers: Set<ConversationNumber> = []
        for key in keys { numbers.formUnion(try allRows(ConversationIndex.index, under: key).map(\.key.conversation)) }
        return numbers
    }
}
