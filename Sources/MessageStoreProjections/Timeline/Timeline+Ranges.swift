@_spi(Storage) internal import MessageStoreLog

/// Keeps the stretches of a timeline that have no gaps (d27): closed ones that history loaded, and the head, to which
/// messages that arrive in a session are added.
extension Timeline {
    /// Notes a message that arrived, before its row is entered.
    ///
    /// Without a word of sessions or syncs, what arrives live proves nothing: the head ends there.
    mutating func arrive(_ record: RecordView, _ rows: inout FoldRows) throws {
        guard record.type == .messageReceived, record.origin != .history else { return }
        // Lending the snapshot copies it, which is too much for every message.
        let session = try self.session ?? currentSession(rows.snapshot)
        let isProven = record.origin == .offline || session.isSynced
        let isKnown = isProven || session.number != 0
        // Mostly the head goes on with the message.
        if isKnown, let slot = openHeads.slot(of: record.conversationNumber),
            openHeads[slot].goesOn(with: record, in: session)
        {
            return
        }
        let head = try head(of: record.conversationNumber, rows.snapshot)
        guard isKnown else {
            if head != nil { try openGap(record.conversationNumber, before: nil, &rows) }
            return
        }
        guard !head.goesOn(with: record, in: session) else { return }
        let order = OrderKey { OrderKey.append(time: record.serverTime ?? .unknown, id: record.serverID, to: &$0) }
        guard var head else {
            return setHead(TimelineHead(oldest: order, session: session.number), of: record.conversationNumber, &rows)
        }
        let isWithin = head.oldest < order
        if record.origin == .offline, !isWithin {
            // A sync leaves out nothing between what it delivers and what is there.
            var range = head.range
            range.oldest = order
            try add(range, of: record.conversationNumber, &rows)
        } else if isProven || head.session == session.number {
            head.session = session.number
            if try !isWithin && !rows.snapshot.hasGap(above: order, in: record.conversationNumber) {
                head.oldest = order
            }
            setHead(head, of: record.conversationNumber, &rows)
        } else if try rows.snapshot.newestOrder(in: record.conversationNumber).isBelow(order) {
            try close(
                head, at: rows.snapshot.newestOrder(in: record.conversationNumber), record.conversationNumber, &rows)
            setHead(TimelineHead(oldest: order, session: session.number), of: record.conversationNumber, &rows)
        }
    }

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

    private mutating func add(_ range: TimelineRange, of conversation: ConversationNumber, _ rows: inout FoldRows)
        throws
    {
        var merged = range
        let head = try head(of: conversation, rows.snapshot)
        for other in try rows.snapshot.ranges(of: conversation, touching: range) {
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
    /// `order` on begin a new head.
    mutating func openGap(_ conversation: ConversationNumber, before order: OrderKey?, _ rows: inout FoldRows) throws {
        let session = try currentSession(rows.snapshot).number
        let end =
            try order.map { try rows.snapshot.newestRow(in: conversation, below: $0)?.order }
            ?? rows.snapshot.newestOrder(in: conversation)
        if let head = try head(of: conversation, rows.snapshot) {
            if let order, head.oldest >= order { return }
            try close(head, at: end, conversation, &rows)
        } else {
            try close(TimelineHead(oldest: end ?? .belowAll, session: session), at: end, conversation, &rows)
        }
        setHead(order.map { TimelineHead(oldest: $0, session: session) }, of: conversation, &rows)
    }

    /// Forgets which stretches have no gaps.
    mutating func forgetRanges(of conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        for (key, _) in try rows.snapshot.allRows(Self.ranges, under: conversation) { rows.remove(Self.ranges, key) }
        setHead(nil, of: conversation, &rows)
    }

    /// Makes the head a closed stretch that ends at `newest`, or a gap at the very beginning if nothing is known.
    private mutating func close(
        _ head: TimelineHead, at newest: OrderKey?, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        var closed = head.range
        closed.newest = newest ?? .belowAll
        closed.reachesEnd = false
        if closed.newest < closed.oldest { closed.oldest = closed.newest }
        for range in try rows.snapshot.closedRanges(of: conversation, touching: closed) {
            removeRange(range, of: conversation, &rows)
            closed.merge(range)
        }
        putRange(closed, of: conversation, &rows)
    }

    private mutating func currentSession(_ snapshot: borrowing ViewSnapshot) throws -> TimelineSession {
        if let session { return session }
        let row = try snapshot.syncRow()
        var number = max(row.connectedAt, row.startedAt)
        if number == 0 { number = row.completedAt }
        let current = TimelineSession(
            number: number, isSynced: number != 0 && row.completedAt >= number, isSyncing: row.isSyncing)
        session = current
        return current
    }

    private mutating func head(of conversation: ConversationNumber, _ snapshot: borrowing ViewSnapshot) throws
        -> TimelineHead?
    {
        if let slot = openHeads.slot(of: conversation) { return openHeads[slot] }
        let stored = try snapshot.row(Timeline.heads, conversation)
        _ = openHeads.insert(stored, of: conversation)
        return stored
    }

    private mutating func setHead(_ head: TimelineHead?, of conversation: ConversationNumber, _ rows: inout FoldRows) {
        if let slot = openHeads.slot(of: conversation) {
            openHeads[slot] = head
        } else {
            _ = openHeads.insert(head, of: conversation)
        }
        rows.set(Self.heads, conversation, head)
    }

    private mutating func removeRange(
        _ range: TimelineRange, of conversation: ConversationNumber, _ rows: inout FoldRows
    ) {
        guard range.newest != OrderKey.aboveAll else { return setHead(nil, of: conversation, &rows) }
        rows.remove(Self.ranges, PlaceKey(conversation: conversation, order: range.newest))
    }

    private func putRange(_ range: TimelineRange, of conversation: ConversationNumber, _ rows: inout FoldRows) {
        rows.put(Self.ranges, PlaceKey(conversation: conversation, order: range.newest), range)
    }
}

extension OrderKey? {
    /// Whether a place is above this one; every place is above none.
    func isBelow(_ order: OrderKey) -> Bool { map { $0 < order } ?? true }
}
