@_spi(Storage) internal import MessageStoreLog

/// Which stretches of a timeline have no holes (d27): closed ones that history loaded, and the head, to which what
/// arrives in a session is added.
extension Timeline {
    /// Notes a message that arrived, before its row is entered.
    ///
    /// Without a word of sessions or syncs, what arrives live proves nothing: the head ends there.
    mutating func arrive(_ record: RecordView, _ views: inout Views) throws {
        guard record.type == .messageReceived, record.origin != .history else { return }
        let session = try currentSession(views)
        let isProven = record.origin == .offline || session.isSynced
        let head = try head(of: record.conversation, views)
        guard isProven || session.number != 0 else {
            if head != nil { try openGap(record.conversation, before: nil, &views) }
            return
        }
        key.removeAll()
        OrderBytes.append(time: record.serverTime ?? .unknown, id: record.serverID, to: &key)
        if let head, head.session == session.number, head.oldest.span.bytes.precedes(key.bytes) { return }
        let order = key.bytes.copied
        guard var head else {
            return setHead(TimelineHead(oldest: order, session: session.number), of: record.conversation, &views)
        }
        let isWithin = head.oldest.lexicographicallyPrecedes(order)
        if record.origin == .offline, !isWithin {
            // A sync leaves out nothing between what it delivers and what is there.
            var range = head.range
            range.oldest = order
            try add(range, of: record.conversation, &views)
        } else if isProven || head.session == session.number {
            head.session = session.number
            if try !isWithin && !views.hasGap(above: order, in: record.conversation) { head.oldest = order }
            setHead(head, of: record.conversation, &views)
        } else if try views.newestOrder(in: record.conversation).isBelow(order) {
            try close(head, at: views.newestOrder(in: record.conversation), record.conversation, &views)
            setHead(TimelineHead(oldest: order, session: session.number), of: record.conversation, &views)
        }
    }

    /// Adds a stretch that was loaded from the server and merges it with those it touches.
    mutating func addPage(_ event: RecordView, _ views: inout Views) throws {
        guard let newest = event.order(HistoryPageLoaded.Fields.newest),
            let oldest = event.order(HistoryPageLoaded.Fields.oldest, isLowerEnd: true)
        else { return }
        let reachesBeginning = event[HistoryPageLoaded.Fields.reachesBeginning]
        let reachesEnd = event[HistoryPageLoaded.Fields.reachesEnd]
        let page = TimelineRange(
            newest: reachesEnd ? OrderBytes.aboveAll : newest, oldest: reachesBeginning ? [] : oldest,
            reachesBeginning: reachesBeginning, reachesEnd: reachesEnd)
        try add(page, of: event.conversation, &views)
    }

    private mutating func add(_ range: TimelineRange, of conversation: UInt32, _ views: inout Views) throws {
        var merged = range
        for other in try views.ranges(of: conversation, touching: range) {
            removeRange(other, of: conversation, &views)
            merged.merge(other)
        }
        if merged.newest == OrderBytes.aboveAll {
            let session = try currentSession(views).number
            setHead(
                TimelineHead(oldest: merged.oldest, reachesBeginning: merged.reachesBeginning, session: session),
                of: conversation, &views)
        } else {
            putRange(merged, of: conversation, &views)
        }
    }

    /// The server counts a message that did not come and that no sync is about to bring: the client has to fetch it (B15).
    mutating func noteReport(_ event: RecordView, _ views: inout Views) throws {
        guard let last = event.order(UnreadCountReported.Fields.upTo), try !currentSession(views).isSyncing,
            try views.newestOrder(in: event.conversation).isBelow(last)
        else { return }
        try openGap(event.conversation, before: nil, &views)
    }

    /// Ends the head at what is known: a hole lies behind it. What stands from `order` on begins a new head.
    mutating func openGap(_ conversation: UInt32, before order: [UInt8]?, _ views: inout Views) throws {
        let session = try currentSession(views).number
        let end =
            try order.map { try views.newestOrder(in: conversation, below: $0) } ?? views.newestOrder(in: conversation)
        if let head = try head(of: conversation, views) {
            if let order, !head.oldest.lexicographicallyPrecedes(order) { return }
            try close(head, at: end, conversation, &views)
        } else {
            try close(TimelineHead(oldest: end ?? [], session: session), at: end, conversation, &views)
        }
        setHead(order.map { TimelineHead(oldest: $0, session: session) }, of: conversation, &views)
    }

    /// Makes the head a closed stretch that ends at `newest`, or a hole at the very beginning where nothing is known.
    private mutating func close(
        _ head: TimelineHead, at newest: [UInt8]?, _ conversation: UInt32, _ views: inout Views
    ) throws {
        var closed = head.range
        closed.newest = newest ?? []
        closed.reachesEnd = false
        if closed.newest.lexicographicallyPrecedes(closed.oldest) { closed.oldest = closed.newest }
        for range in try views.closedRanges(of: conversation, touching: closed) {
            removeRange(range, of: conversation, &views)
            closed.merge(range)
        }
        putRange(closed, of: conversation, &views)
    }

    private mutating func currentSession(_ views: borrowing Views) throws -> TimelineSession {
        if let session { return session }
        let row = try views.sync()
        var number = max(row.connectedAt, row.startedAt)
        if number == 0 { number = row.completedAt }
        let current = TimelineSession(
            number: number, isSynced: number != 0 && row.completedAt >= number, isSyncing: row.isSyncing)
        session = current
        return current
    }

    private mutating func head(of conversation: UInt32, _ views: borrowing Views) throws -> TimelineHead? {
        if let slot = heads.slot(of: conversation) { return heads[slot] }
        let stored = try views.timelineHead(of: conversation)
        _ = heads.insert(stored, of: conversation)
        return stored
    }

    private mutating func setHead(_ head: TimelineHead?, of conversation: UInt32, _ views: inout Views) {
        if let slot = heads.slot(of: conversation) {
            heads[slot] = head
        } else {
            _ = heads.insert(head, of: conversation)
        }
        let key = RowKey.number(conversation)
        if let head {
            views.put(.timelineHeads, key.span.bytes, head.bytes.span.bytes)
        } else {
            views.remove(.timelineHeads, key.span.bytes)
        }
    }

    private mutating func removeRange(_ range: TimelineRange, of conversation: UInt32, _ views: inout Views) {
        guard range.newest != OrderBytes.aboveAll else { return setHead(nil, of: conversation, &views) }
        views.remove(.timelineRanges, (RowKey.number(conversation) + range.newest).span.bytes)
    }

    private func putRange(_ range: TimelineRange, of conversation: UInt32, _ views: inout Views) {
        views.put(.timelineRanges, (RowKey.number(conversation) + range.newest).span.bytes, range.bytes.span.bytes)
    }
}

extension [UInt8]? {
    /// Whether an order lies above this one; everything lies above none.
    func isBelow(_ order: [UInt8]) -> Bool { self?.lexicographicallyPrecedes(order) ?? true }
}
