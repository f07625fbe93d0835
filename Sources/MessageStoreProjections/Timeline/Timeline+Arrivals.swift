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
            // Where others came first, more may be missing between them and this one; and a gap above it stays.
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
        let head = TimelineHead(
            oldest: range.oldest, reachesBeginning: range.reachesBeginning, session: session.number)
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
