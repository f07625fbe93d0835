@_spi(Storage) internal import MessageStoreLog

/// Keeps the stretches of a timeline that have no gaps (d27): closed ones that history loaded, and the head, to which
/// messages that arrive in a session are added.
extension Timeline {
    /// Adds a stretch that was loaded from the server and merges it with those it touches.
    mutating func addPage(_ event: RecordView, _ rows: inout FoldRows) throws {
        guard let newest = event.order(HistoryPageLoaded.newest.field),
            let oldest = event.order(HistoryPageLoaded.oldest.field, isLowerEnd: true)
        else { return }
        let reachesBeginning = event[HistoryPageLoaded.reachesBeginning]
        let reachesEnd = event[HistoryPageLoaded.reachesEnd]
        let page = TimelineRange(
            newest: reachesEnd ? .aboveAll : newest, oldest: reachesBeginning ? .belowAll : oldest,
            reachesBeginning: reachesBeginning, reachesEnd: reachesEnd)
        try add(page, of: event.conversationNumber, &rows)
    }

    mutating func add(_ range: TimelineRange, of conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        var merged = range
        let head = try head(of: conversation, rows.snapshot)
        let others = try rows.snapshot.ranges(of: conversation, touching: range)
        var top = others.last
        if top == nil { top = try rows.snapshot.closedRange(in: conversation, below: range.oldest) }
        // A page in a gap that may turn out to be none is followed by the rest of that gap.
        merged.wait = top?.wait
        for other in others {
            removeRange(other, of: conversation, &rows)
            merged.merge(other)
        }
        if merged.newest == OrderKey.aboveAll {
            // A stretch that only touches the head does not show whether the head goes on in this session.
            let old = range.reachesEnd ? nil : head
            let session = try old?.session ?? currentSession(rows.snapshot).number
            setHead(
                TimelineHead(oldest: merged.oldest, reachesBeginning: merged.reachesBeginning, session: session),
                of: conversation, &rows)
        } else {
            putRange(merged, of: conversation, &rows)
        }
    }

    /// The server counts messages of which some did not arrive, and no sync is about to deliver them: the client has to
    /// fetch them (B15). A number alone may count any.
    mutating func noteReport(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        guard let told = event.reportedCount, told.upTo != nil || told.count > 0,
            try !currentSession(rows.snapshot).isSyncing
        else { return }
        let newest = try rows.snapshot.newestOrder(in: conversation)
        if let place = try rows.snapshot.place(of: told, event), !newest.isBelow(place) { return }
        try openGap(conversation, before: nil, &rows)
    }

    /// Ends the head at the newest known message, below `order` if it is given: a gap follows it. The messages from
    /// `order` on begin a new head; where `order` is below the head, or below another gap, the stretches there end.
    mutating func openGap(_ conversation: ConversationNumber, before order: OrderKey?, _ rows: inout FoldRows) throws {
        let session = try currentSession(rows.snapshot).number
        let end =
            try order.map { try rows.snapshot.newestRow(in: conversation, below: $0)?.order }
            ?? rows.snapshot.newestOrder(in: conversation)
        let head = try head(of: conversation, rows.snapshot)
        if let order,
            try head.map({ $0.oldest >= order }) ?? rows.snapshot.hasGap(above: order, in: conversation)
        {
            return try splitRange(of: conversation, between: end, order, &rows)
        }
        if let head {
            try close(head, at: end, nil, conversation, &rows)
        } else {
            try close(TimelineHead(oldest: end ?? .belowAll, session: session), at: end, nil, conversation, &rows)
        }
        setHead(order.map { TimelineHead(oldest: $0, session: session) }, of: conversation, &rows)
    }

    /// Opens a gap below a place that no sync closes: splits the closed stretch that holds the place, or else leaves the
    /// stretch below it without the sync that it waits for.
    private mutating func splitRange(
        of conversation: ConversationNumber, between end: OrderKey?, _ order: OrderKey, _ rows: inout FoldRows
    ) throws {
        if var upper = try rows.snapshot.range(containing: order, in: conversation), upper.oldest < order {
            let lower = TimelineRange(
                newest: end ?? .belowAll, oldest: upper.oldest, reachesBeginning: upper.reachesBeginning)
            (upper.oldest, upper.reachesBeginning) = (order, false)
            putRange(upper, of: conversation, &rows)
            if lower.newest >= lower.oldest { return putRange(lower, of: conversation, &rows) }
        }
        guard var lower = try rows.snapshot.closedRange(in: conversation, below: order), lower.wait != nil else {
            return
        }
        removeRange(lower, of: conversation, &rows)
        lower.wait = nil
        putRange(lower, of: conversation, &rows)
    }

    /// Forgets which stretches have no gaps.
    mutating func forgetRanges(of conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        for (key, _) in try rows.snapshot.allRows(Self.ranges, under: conversation) { rows.remove(Self.ranges, key) }
        for (key, _) in try rows.snapshot.allRows(Self.waits, under: conversation) { rows.remove(Self.waits, key) }
        setHead(nil, of: conversation, &rows)
    }

    /// Makes the head a closed stretch that ends at `newest`, or a gap at the very beginning if nothing is known.
    ///
    /// - Parameter wait: Where the gap that follows may turn out to be none.
    mutating func close(
        _ head: TimelineHead, at newest: OrderKey?, _ wait: TimelineWait?, _ conversation: ConversationNumber,
        _ rows: inout FoldRows
    ) throws {
        var closed = head.range
        (closed.newest, closed.reachesEnd, closed.wait) = (newest ?? .belowAll, false, wait)
        if closed.newest < closed.oldest { closed.oldest = closed.newest }
        for range in try rows.snapshot.closedRanges(of: conversation, touching: closed) {
            removeRange(range, of: conversation, &rows)
            closed.merge(range)
        }
        if wait == nil { closed.wait = nil }
        putRange(closed, of: conversation, &rows)
    }

    mutating func currentSession(_ snapshot: borrowing ViewSnapshot) throws -> TimelineSession {
        if let session { return session }
        let row = try snapshot.syncRow()
        var number = max(row.connectedAt, row.startedAt)
        if number == 0 { number = row.completedAt }
        let isOn = row.endedAt <= number
        let isCatchingUp = row.isSyncing && row.connectedAt != 0 && row.startedAt >= row.connectedAt
        let current = TimelineSession(
            number: number, isOn: isOn, isSynced: isOn && number != 0 && row.completedAt >= number,
            isSyncing: row.isSyncing, isConnecting: row.connectedAt != 0,
            isCatchingUp: isCatchingUp, takesLive: number != 0 && isOn && !isCatchingUp)
        session = current
        return current
    }

    mutating func head(of conversation: ConversationNumber, _ snapshot: borrowing ViewSnapshot) throws
        -> TimelineHead?
    {
        if let slot = openHeads.slot(of: conversation) { return openHeads[slot] }
        let stored = try snapshot.row(Timeline.heads, conversation)
        _ = openHeads.insert(stored, of: conversation)
        return stored
    }

    mutating func setHead(_ head: TimelineHead?, of conversation: ConversationNumber, _ rows: inout FoldRows) {
        if let slot = openHeads.slot(of: conversation) {
            openHeads[slot] = head
        } else {
            _ = openHeads.insert(head, of: conversation)
        }
        rows.set(Self.heads, conversation, head)
    }

    mutating func removeRange(
        _ range: TimelineRange, of conversation: ConversationNumber, _ rows: inout FoldRows
    ) {
        guard range.newest != OrderKey.aboveAll else { return setHead(nil, of: conversation, &rows) }
        let key = PlaceKey(conversation: conversation, order: range.newest)
        rows.remove(Self.ranges, key)
        if range.wait != nil { rows.remove(Self.waits, key) }
    }

    func putRange(_ range: TimelineRange, of conversation: ConversationNumber, _ rows: inout FoldRows) {
        let key = PlaceKey(conversation: conversation, order: range.newest)
        rows.put(Self.ranges, key, range)
        if let wait = range.wait { rows.put(Self.waits, key, wait) }
    }
}

extension OrderKey? {
    /// Whether a place is above this one; every place is above none.
    func isBelow(_ order: OrderKey) -> Bool { map { $0 < order } ?? true }
}
