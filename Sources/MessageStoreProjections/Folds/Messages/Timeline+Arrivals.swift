@_spi(Storage) internal import MessageStoreLog

/// Says of messages that arrive whether any may be missing before them (`Docs/Decisions/0010`).
extension Timeline {
    /// Notes a message that arrived or got its place from the server, before its row is entered.
    ///
    /// If no session and no sync was ever recorded, a message that arrives live proves nothing: the head ends there.
    mutating func arrive(_ record: RecordView, _ rows: inout FoldRows) throws {
        let isReceived = record.type == .messageReceived
        guard isReceived || record.type == .messageSent else { return }
        // Lending the snapshot copies it, which is too much for every message.
        let session = try self.session ?? currentSession(rows.snapshot)
        if isReceived, record.origin == .history { return try noteHistory(record, session, &rows) }
        let isHandedOver = record.flags.contains(.isHandedOver)
        let isOffline = !isHandedOver && (record.origin == .offline || record.flags.isOfPackage)
        // Mostly the head continues with the message.
        if isOffline || session.takesLive && !isHandedOver,
            let slot = openHeads.slot(of: record.conversationNumber),
            openHeads[slot].goesOn(with: record, in: session)
        {
            return
        }
        guard isReceived || session.isConnecting && record.serverTime ?? .unknown != .unknown else { return }
        let conversation = record.conversationNumber
        let head = try head(of: conversation, rows.snapshot)
        guard session.number != 0 || isOffline else {
            if head != nil { try openGap(conversation, before: nil, &rows) }
            return
        }
        let order = OrderKey { OrderKey.append(time: record.serverTime ?? .unknown, id: record.serverID, to: &$0) }
        if isOffline {
            try deliver(order, session, conversation, &rows)
        } else if isHandedOver || !session.isOn {
            try setAside(order, at: record.position, session, conversation, &rows)
        } else {
            try receive(order, session, conversation, &rows)
        }
    }

    /// A loaded message is newer than the head, and nothing proves that the head continues up to it.
    private mutating func noteHistory(
        _ record: RecordView, _ session: TimelineSession, _ rows: inout FoldRows
    ) throws {
        let conversation = record.conversationNumber
        guard session.number != 0, let head = try head(of: conversation, rows.snapshot),
            !session.takesLive || head.session != session.number && !session.isSynced
        else { return }
        let order = OrderKey { OrderKey.append(time: record.serverTime ?? .unknown, id: record.serverID, to: &$0) }
        let newest = try rows.snapshot.newestOrder(in: conversation)
        guard newest.isBelow(order) else { return }
        let wait = TimelineWait(joinsAfter: session.isOn ? session.number : record.position.rawValue)
        try close(head, at: newest, wait, conversation, &rows)
        setHead(nil, of: conversation, &rows)
    }

    /// A sync delivers a message. It leaves out nothing between its messages and the earlier ones.
    private mutating func deliver(
        _ order: OrderKey, _ session: TimelineSession, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        let head = try head(of: conversation, rows.snapshot)
        if var head, head.oldest < order {
            guard head.session != session.number else { return }
            (head.session, head.isLive) = (session.number, false)
            return setHead(head, of: conversation, &rows)
        }
        if head == nil {
            let top = try rows.snapshot.closedRange(in: conversation)
            let isWaiting = top?.wait != nil
            let mayWait = isWaiting || session.isConnecting
            let isNewest = try mayWait && rows.snapshot.newestOrder(in: conversation).isBelow(order)
            if let top, isWaiting, isNewest { return open(top, session, conversation, &rows) }
            // If others came first, more may be missing between them and this one; and a gap above it stays.
            let isBelowGap = top.map { $0.newest >= order } ?? false
            guard isWaiting || isBelowGap || session.isConnecting && !isNewest else {
                return setHead(TimelineHead(oldest: order, session: session.number), of: conversation, &rows)
            }
        }
        let holder = try rows.snapshot.range(containing: order, in: conversation)
        let below = try rows.snapshot.closedRange(in: conversation, below: order)
        if let holder, holder.wait ?? below?.wait != nil { return }
        if var below, below.wait != nil {
            // The sync continues the stretch below.
            removeRange(below, of: conversation, &rows)
            below.newest = order
            return putRange(below, of: conversation, &rows)
        }
        if var range = head?.range, !session.isConnecting, try !rows.snapshot.hasGap(above: order, in: conversation) {
            range.oldest = order
            return try add(range, of: conversation, &rows)
        }
        if holder != nil { return }
        let alone = TimelineRange(newest: order, oldest: order, wait: TimelineWait(joinsAfter: session.number))
        putRange(alone, of: conversation, &rows)
    }

    /// A message came on a way that may leave out others before it: the stretch ends before it, until a sync proves
    /// that there are none.
    private mutating func setAside(
        _ order: OrderKey, at position: Position, _ session: TimelineSession, _ conversation: ConversationNumber,
        _ rows: inout FoldRows
    ) throws {
        let newest = try rows.snapshot.newestOrder(in: conversation)
        guard newest.isBelow(order) else { return }
        var wait = TimelineWait(joinsAfter: position.rawValue)
        if let head = try head(of: conversation, rows.snapshot) {
            if session.isOn, head.session == session.number || session.isSynced { wait.session = session.number }
            try close(head, at: newest, wait, conversation, &rows)
            return setHead(nil, of: conversation, &rows)
        }
        var last = TimelineRange(newest: order, oldest: order)
        if let top = try rows.snapshot.closedRange(in: conversation), let known = top.wait {
            (last, wait.session) = (top, known.session)
        }
        last.wait = wait
        putRange(last, of: conversation, &rows)
    }

    /// A message arrives live, in a session.
    private mutating func receive(
        _ order: OrderKey, _ session: TimelineSession, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        let newest = try rows.snapshot.newestOrder(in: conversation)
        let own = TimelineHead(oldest: order, isLive: session.isCatchingUp, session: session.number)
        guard var head = try head(of: conversation, rows.snapshot) else {
            guard var top = try rows.snapshot.closedRange(in: conversation) else {
                return setHead(own, of: conversation, &rows)
            }
            guard let wait = top.wait else {
                // A gap above the message stays.
                return top.newest < order ? setHead(own, of: conversation, &rows) : ()
            }
            guard newest.isBelow(order) else { return }
            if !session.isCatchingUp, wait.session == session.number {
                return open(top, session, conversation, &rows)
            }
            top.wait = TimelineWait(joinsAfter: max(wait.joinsAfter, session.number))
            putRange(top, of: conversation, &rows)
            return setHead(own, of: conversation, &rows)
        }
        // In a sync, nothing is missing between live messages alone.
        let goesOn =
            session.isCatchingUp
            ? head.isLive && head.session == session.number : head.session == session.number || session.isSynced
        if goesOn {
            let isWithin = head.oldest < order
            guard !isWithin || head.session != session.number else { return }
            head.session = session.number
            if try !isWithin && !rows.snapshot.hasGap(above: order, in: conversation) { head.oldest = order }
            setHead(head, of: conversation, &rows)
        } else if newest.isBelow(order) {
            try close(head, at: newest, TimelineWait(joinsAfter: session.number), conversation, &rows)
            setHead(own, of: conversation, &rows)
        }
    }

    /// Makes the last closed stretch the head.
    private mutating func open(
        _ range: TimelineRange, _ session: TimelineSession, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) {
        removeRange(range, of: conversation, &rows)
        let head = TimelineHead(oldest: range.oldest, reachesBeginning: range.reachesBeginning, session: session.number)
        setHead(head, of: conversation, &rows)
    }

    /// A sync has completed: nothing is missing after the stretches that waited for it.
    ///
    /// - Returns: The conversations of these stretches.
    mutating func joinWaiting(_ event: RecordView, _ rows: inout FoldRows) throws -> [ConversationNumber] {
        var conversations: [ConversationNumber] = []
        // The row does not have the event yet.
        let row = try rows.snapshot.syncRow()
        let begun = max(row.connectedAt, row.startedAt)
        let number = begun == 0 ? event.position.rawValue : begun
        for (key, wait) in try rows.snapshot.allRows(Self.waits)
        where wait.joinsAfter <= number && rows.shard?.owns(key.conversation) ?? true {
            let above = TimelineRange(newest: .aboveAll, oldest: key.order)
            let ranges = try rows.snapshot.closedRanges(of: key.conversation, touching: above)
            guard var joined = ranges.first else { continue }
            removeRange(joined, of: key.conversation, &rows)
            joined.newest = ranges.count > 1 ? ranges[1].oldest : .aboveAll
            try add(joined, of: key.conversation, &rows)
            conversations.append(key.conversation)
        }
        session = nil
        return conversations
    }
}

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

    /// Some messages that the server counts did not arrive, and no sync is about to deliver them: the client has to
    /// fetch them (B15). A number alone may count any.
    mutating func noteReport(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        guard let reported = event.reportedCount, reported.upTo != nil || reported.count > 0,
            try !currentSession(rows.snapshot).isSyncing
        else { return }
        let newest = try rows.snapshot.newestOrder(in: conversation)
        if let place = try rows.snapshot.place(of: reported, event), !newest.isBelow(place) { return }
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
    /// - Parameter wait: The wait by which the gap that follows may turn out to be none.
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
