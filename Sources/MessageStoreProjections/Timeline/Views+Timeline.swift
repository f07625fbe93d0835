@_spi(Storage) public import MessageStoreLog

extension Views {
    /// A page of a conversation's messages in their order: server time, then server id, unsent ones last.
    ///
    /// Costs a seek and a step for each row, independent of the timeline's length. With `types`, each type costs that;
    /// only if text, notices, actions or tips are among them, the rows of other types are skipped one by one.
    ///
    /// - Parameters:
    ///   - conversation: Whose timeline.
    ///   - part: Which part of the timeline.
    ///   - types: Only messages of these types; nil for all.
    ///   - limit: The maximum number of messages, 1 to 1000.
    ///   - onDamage: Called for each message of the page whose record is damaged, which is left out; nil to throw then.
    /// - Returns: An empty page for a conversation without messages.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for an unknown anchor.
    public borrowing func timeline(
        of conversation: ConversationKey, _ part: TimelinePart = .latest, types: Set<ContentType>? = nil,
        limit: Int = 20, onDamage: ((StoreError) throws -> Void)? = nil
    ) throws -> TimelinePage {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else {
            return TimelinePage(
                messages: [], hasOlder: false, hasNewer: false, isContiguous: false, hasGapBefore: true,
                hasGapAfter: true, reachesBeginning: false)
        }
        let walk = try walk(number, types: types)
        let found = try rows(of: walk, part, limit: limit)
        return try page(walk, found.rows, hasOlder: found.hasOlder, hasNewer: found.hasNewer, onDamage)
    }

    /// The rows of a part of what is walked, oldest first.
    borrowing func rows(
        of walk: TimelineWalk, _ part: TimelinePart, limit: Int
    ) throws -> (rows: [TimelineWalk.Row], hasOlder: Bool, hasNewer: Bool) {
        switch part {
        case .latest:
            let older = try walk.older(than: nil, limit: limit, snapshot)
            return (older.rows.reversed(), older.hasMore, false)
        case .before(let anchor):
            let order = try order(of: anchor, in: walk.conversation)
            let older = try walk.older(than: order, limit: limit, snapshot)
            return (older.rows.reversed(), older.hasMore, try walk.hasAny(notBelow: order, snapshot))
        case .after(let anchor):
            let order = try order(of: anchor, in: walk.conversation)
            let newer = try walk.newer(than: order, limit: limit, isInclusive: false, snapshot)
            return (newer.rows, try walk.hasAny(notAbove: order, snapshot), newer.hasMore)
        case .around(let anchor):
            let order = try order(of: anchor, in: walk.conversation)
            let older = try walk.older(than: order, limit: limit / 2, snapshot)
            let newer = try walk.newer(than: order, limit: limit - older.rows.count, isInclusive: true, snapshot)
            return (older.rows.reversed() + newer.rows, older.hasMore, newer.hasMore)
        }
    }

    private borrowing func page(
        _ walk: TimelineWalk, _ rows: [TimelineWalk.Row], hasOlder: Bool, hasNewer: Bool,
        _ onDamage: ((StoreError) throws -> Void)?
    ) throws -> TimelinePage {
        let messages = try messages(rows, onDamage)
        let all = try self.walk(walk.conversation, types: nil)
        var first: TimelineRange?
        var last: TimelineRange?
        var hasGapBefore = true
        var hasGapAfter = true
        if let oldest = rows.first?.order, let newest = rows.last?.order {
            first = try snapshot.range(containing: oldest, in: walk.conversation)
            last = try snapshot.range(containing: newest, in: walk.conversation)
            let before = try all.older(than: oldest, limit: 1, snapshot).rows.first?.order
            let after = try all.newer(than: newest, limit: 1, isInclusive: false, snapshot).rows.first?.order
            if let first { hasGapBefore = before.map { !first.contains($0) } ?? !first.reachesBeginning }
            if let last { hasGapAfter = !last.contains(after ?? .aboveAll) }
        }
        return TimelinePage(
            messages: messages, hasOlder: hasOlder, hasNewer: hasNewer, isContiguous: first != nil && first == last,
            hasGapBefore: hasGapBefore, hasGapAfter: hasGapAfter, reachesBeginning: first?.reachesBeginning ?? false)
    }

    borrowing func messages(
        _ rows: [TimelineWalk.Row], _ onDamage: ((StoreError) throws -> Void)? = nil
    ) throws -> [Message] {
        var messages: [Message] = []
        messages.reserveCapacity(rows.count)
        var marker: ReadMarker?
        for row in rows {
            do {
                let record = try snapshot.record(at: Position(row.row.local.rawValue), namedBy: Timeline.messages.place)
                let state = row.row.flags.contains(.hasState) ? try snapshot.row(Messages.states, row.row.local) : nil
                // All rows are of one conversation.
                if messages.isEmpty { marker = try snapshot.knownMarker(of: record.conversationNumber) }
                messages.append(try message(record, state ?? MessageState(), marker))
            } catch let error as StoreError where error.code == .recordDamaged {
                guard let onDamage else { throw error }
                try onDamage(error)
            }
        }
        return messages
    }

    borrowing func order(of anchor: TimelineAnchor, in conversation: ConversationNumber) throws -> OrderKey {
        switch anchor {
        case .order(let order): return OrderKey(order)
        case .message(let reference):
            guard let local = try snapshot.local(of: reference, in: conversation), local.rawValue <= position.rawValue,
                let record = try snapshot.log.record(at: Position(local.rawValue)),
                record.conversationNumber == conversation,
                record.type.isMessage
            else { throw StoreError(.notFound, "the anchor names no message of the conversation") }
            return OrderKey(record, try snapshot.row(Messages.states, local) ?? MessageState())
        }
    }

    /// A walk over a conversation's rows of some types, by their marks where all of them have one.
    ///
    /// - Parameters:
    ///   - conversation: Its number.
    ///   - types: The wanted types; nil for all.
    ///   - excluded: Flags that no wanted row has.
    ///   - isWanted: Which of the others are wanted.
    borrowing func walk(
        _ conversation: ConversationNumber, types: Set<ContentType>?, without excluded: TimelineRow.Flags = []
    ) throws -> TimelineWalk {
        let numbers = try types.map { try Set($0.compactMap { try snapshot.symbols.existingNumber(of: $0) }) }
        let areMarked = types?.allSatisfy(TimelineMarks.isMarked) ?? false
        return TimelineWalk(
            conversation: conversation, clearing: try snapshot.clearing(of: conversation),
            source: areMarked ? .marks(numbers?.sorted() ?? []) : .timeline
        ) { row in
            row.flags.isDisjoint(with: excluded)
                && (areMarked || numbers?.contains(row.contentType) != false)
        }
    }
}
