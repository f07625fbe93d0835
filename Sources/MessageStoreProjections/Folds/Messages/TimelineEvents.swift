@_spi(Storage) public import MessageStoreLog

/// The projection of what timelines show between messages: events about a conversation and its members, by their time.
/// An event that clears a whole history, and not up to a place, removes all events that were recorded before it.
struct TimelineEvents: HandlingProjection {
    static let declaration = ProjectionDeclaration(.timelineEvents, version: 3, events: handlers.types, tables: events)
    static var events: Table<TimelineEventKey, NoValue> { Table("timelineEvents", 34) }

    static let handlers = EventHandlers<Self>()
        .on(TimelineEvent.types) { _, event, rows, _ in
            guard event.isBetweenMessages else { return }
            let key = TimelineEventKey(
                conversation: event.conversationNumber, time: event.timelineTime, position: event.position)
            rows.put(events, key, NoValue())
        }
        .on(.historyCleared, .conversationDeleted, .chatRoomLeft) { _, event, rows, _ in
            guard event.clearsWholeHistory else { return }
            for (key, _) in try rows.snapshot.allRows(events, under: event.conversationNumber) {
                rows.remove(events, key)
            }
        }
}

extension RecordView {
    /// Whether timelines show the event between messages. An invitation by this account itself is none of them:
    /// services send it to the one who invited as well, and it reports the account's act as if it were done to the
    /// account (B23).
    var isBetweenMessages: Bool {
        type.has(.shownBetweenMessages) && (type != .selfInvited || actorNumber != .account)
    }

    /// The time of an event between messages, in milliseconds since 1970: the server's, else the recording's.
    var timelineTime: UInt64 { UInt64(clamping: (serverTime ?? now).milliseconds) }

    /// Up to where the history is cleared; nil for the whole, which a place of more than a day after the recording is,
    /// too.
    var clearedUpTo: OrderKey? {
        order(HistoryCleared.upTo.field).flatMap { isAhead($0.time) ? nil : $0 }
    }

    /// Whether nothing is shown any longer that was recorded about the conversation before this.
    var clearsWholeHistory: Bool {
        switch type {
        case .historyCleared: clearedUpTo == nil
        case .conversationDeleted: self[ConversationDeleted.alsoMessages]
        default: purgesChatRoom
        }
    }
}

/// The key of a row of `timelineEvents`: an event between messages, by its time.
struct TimelineEventKey: ViewKey {
    var conversation = ConversationNumber.none
    /// In milliseconds since 1970.
    var time: UInt64 = 0
    var position = Position.origin

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("time", &time, .time)
        parts.part("position", &position)
    }

    static func isUnseen(_ key: RawSpan) -> Bool { true }
}

/// An event that a timeline shows between messages: somebody joined, left, was muted or given a role, the conversation
/// was made or renamed.
public struct TimelineEvent: Sendable, Hashable, Identifiable {
    /// The event's position in the log.
    public let id: Position
    /// The server's time, or the time of the recording, by this device's clock, if the event has none.
    public let time: Timestamp
    /// Whether ``time`` is only this device's.
    public let isTimeProvisional: Bool
    /// The event, as it was recorded.
    public let event: Event

    /// Creates an event of a timeline, for previews and tests.
    public init(id: Position, time: Timestamp, isTimeProvisional: Bool = false, event: Event) {
        self.id = id
        self.time = time
        self.isTimeProvisional = isTimeProvisional
        self.event = event
    }

    /// The types of events that timelines show.
    public static let types = Set.with(.shownBetweenMessages)
}

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
        on page: TimelinePage, in conversation: ConversationKey, types: Set<EventType> = TimelineEvent.types,
        limit: Int = 100
    ) throws -> [TimelineEvent] {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return [] }
        let floor = try snapshot.floor(of: number)
        var start = floor.map { OrderKey.time(of: $0.bytes.span.bytes) + ($0.isEndOfTime ? 1 : 0) } ?? 0
        var end = UInt64.max
        if page.hasOlder, let first = page.elements.first { start = max(start, try time(of: first, number)) }
        if page.hasNewer, let last = page.elements.last {
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
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.scope.isLentToProjection)
        var (events, isNamed) = ([TimelineEvent](), false)
        try snapshot.forEachRecord(at: key.position, namedBy: TimelineEvents.events.viewTable) { record throws in
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
            throw key.withBytes { StoreError.unreadableRow(of: TimelineEvents.events.viewTable, at: $0) }
        }
        return events
    }
}

extension ProjectionID {
    /// Events that timelines show between messages.
    public static let timelineEvents: ProjectionID = "TimelineEvents"
}
