@_spi(Storage) public import MessageStoreLog

extension Views {
    /// The events about a conversation and its members to show with the messages of a page, oldest first.
    ///
    /// An event sorts after every message of its time or an earlier one, and belongs to the page of the message that it
    /// follows; those before the first message of the conversation belong to that one's page. So pages that follow each
    /// other show each event once. Events that were cleared with the history are left out, and a `SelfInvited` by this
    /// account itself, which services send to the one who invited as well. Costs a few seeks and a point read for each
    /// event.
    ///
    /// - Parameters:
    ///   - page: A page of the conversation's timeline, of messages of all types, read whole from these views: without
    ///     `onDamage`, which leaves messages out.
    ///   - conversation: Whose timeline.
    ///   - types: Only events of these types.
    ///   - limit: The maximum number of events, 1 to 1000; of more, the newest.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for a page that these views do
    ///   not have.
    public borrowing func timelineEvents(
        beside page: TimelinePage, in conversation: ConversationKey, types: Set<EventType> = TimelineEvent.types,
        limit: Int = 100
    ) throws -> [TimelineEvent] {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return [] }
        let floor = try snapshot.floor(of: number)
        var start = floor.map { OrderKey.time(of: $0.bytes.span.bytes) + ($0.isEndOfTime ? 1 : 0) } ?? 0
        var end = UInt64.max
        if page.hasOlder, let first = page.messages.first {
            start = max(start, try time(of: first, number))
        }
        if page.hasNewer, let last = page.messages.last {
            let order = try order(of: .message(.local(last.id)), in: number)
            let next = try walk(number, types: nil).newer(than: order, limit: 1, isInclusive: false, snapshot)
            if let next = next.rows.first { end = OrderKey.time(of: next.order.bytes.span.bytes) }
        }
        return try timelineEvents(of: number, from: start, before: end, types, limit)
    }

    private borrowing func time(of message: Message, _ conversation: ConversationNumber) throws -> UInt64 {
        let order = try order(of: .message(.local(message.id)), in: conversation)
        return OrderKey.time(of: order.bytes.span.bytes)
    }

    private borrowing func timelineEvents(
        of conversation: ConversationNumber, from start: UInt64, before end: UInt64, _ types: Set<EventType>,
        _ limit: Int
    ) throws -> [TimelineEvent] {
        var events: [TimelineEvent] = []
        let end = TimelineEventKey(conversation: conversation, time: end)
        var cursor = try snapshot.rowsBackwards(TimelineEvents.events, before: end)
        while events.count < limit, try cursor.next() {
            let key = try cursor.key(of: TimelineEvents.events)
            guard key.conversation == conversation, key.time >= start else { break }
            events += try timelineEvents(key, types).reversed()
        }
        return events.prefix(limit).reversed()
    }

    /// The events that a row names, oldest first: one, but in a replay of other events, which may share a position.
    // Not inlined, as `forEachDetail`.
    @inline(never)
    private borrowing func timelineEvents(
        _ key: TimelineEventKey, _ types: Set<EventType>
    ) throws -> [TimelineEvent] {
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.isLentToProjection)
        var (events, isNamed) = ([TimelineEvent](), false)
        try snapshot.forEachRecord(at: key.position, namedBy: TimelineEvents.events.place) { record throws in
            guard record.conversationNumber == key.conversation else { return }
            if record.clearsWholeHistory { events = [] }
            guard record.isBetweenMessages, record.timelineTime == key.time else { return }
            isNamed = true
            guard types.contains(record.type) else { return }
            events.append(
                TimelineEvent(
                    id: record.position, time: record.serverTime ?? record.now,
                    isTimeProvisional: record.serverTime == nil, event: try decoder.event(from: record)))
        }
        guard isNamed else {
            throw key.withBytes { StoreError.unreadableRow(of: TimelineEvents.events.place, at: $0) }
        }
        return events
    }
}
