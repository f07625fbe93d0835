@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// The position of the log's last event.
    ///
    /// - Throws: `StoreError`.
    public func lastPosition() throws -> Position {
        let resources = try opened()
        return try StoreError.translating {
            let snapshot = try resources.log.snapshot()
            return try snapshot.lastPosition()
        }
    }

    /// The position of the last event that is durable; others were recorded as `visible` and wait for their commit.
    ///
    /// - Throws: `StoreError`.
    public func lastDurablePosition() throws -> Position {
        let resources = try opened()
        return try StoreError.translating {
            let snapshot = try resources.log.durableSnapshot()
            return try snapshot.lastPosition()
        }
    }

    /// The last position at which this device's clock showed a time or an earlier one; `Position.origin` if there is
    /// none.
    ///
    /// Costs a binary search, and a step for each time that the clock was set back. Events that were recorded while the
    /// clock was ahead count as recorded then.
    ///
    /// - Parameter time: The time.
    /// - Throws: `StoreError`, `recordDamaged` with the position of a damaged record that the search meets.
    public func lastPosition(recordedBy time: Timestamp) throws -> Position {
        let resources = try opened()
        return try StoreError.translating { try resources.log.snapshot().lastPosition(recordedBy: time) }
    }

    /// Calls `body` with the events between two positions, both included, until it returns false.
    ///
    /// Conversation, type and server time are looked up in the envelopes while scanning (millions a second), recorded
    /// times by a binary search; only wanted events are decoded, and plain messages when their event is first asked for.
    /// The read sees one moment of the log. The body must not use the store, which throws `nestedAccess`;
    /// ``allEvents(from:to:order:where:)`` is the form that may.
    ///
    /// - Parameters:
    ///   - first: The first position; positions before the log's first are taken for it.
    ///   - last: The last position; nil for the log's last.
    ///   - order: The direction.
    ///   - filter: The events to include.
    ///   - onDamage: Called for each position in the range whose record is damaged, and the read continues after it; nil
    ///     to end at the first. Records are then looked up one by one.
    ///   - body: Called with each event; returns whether to continue.
    /// - Throws: `StoreError`, `recordDamaged` with the position of a damaged record, `nestedAccess`; or what `body`
    ///   throws.
    public func forEachEvent(
        from first: Position = Position(1), to last: Position? = nil, order: ReadOrder = .ascending,
        where filter: EventFilter = .all, onDamage: ((StoreError) throws -> Void)? = nil,
        _ body: (RecordedEvent) throws -> Bool
    ) throws {
        let resources = try opened()
        try StoreError.translating {
            let snapshot = try resources.log.snapshot()
            let symbols = snapshot.symbols
            let conversation = try filter.conversation.map { try symbols.existingNumber(of: $0) }
            // A conversation that the log never named has no events.
            if case .some(.none) = conversation { return }
            var low = max(first, Position(1))
            var high = min(last ?? Position(.max), try snapshot.lastPosition())
            if let times = filter.recordedTime {
                low = max(low, try snapshot.firstPosition(recordedAtOrAfter: times.lowerBound))
                high = min(high, try snapshot.lastPosition(recordedBy: times.upperBound))
            }
            guard low <= high else { return }
            let decoder = RecordDecoder(symbols: symbols, keepsSymbols: true)
            let visit: (RecordView) throws -> LogSnapshot.ScanStep = { record in
                guard filter.wants(record, conversation: conversation.flatMap { $0 }) else { return .proceed }
                return try body(RecordedEvent(record, decoder)) ? .proceed : .stop
            }
            if let onDamage {
                let wanted: (RecordView) -> Bool = { filter.wants($0, conversation: conversation.flatMap { $0 }) }
                return try forEach(in: low...high, order, snapshot, decoder, wanted, onDamage, body)
            }
            switch order {
            case .ascending: try snapshot.scan(from: low, to: high, visit)
            case .descending: try snapshot.scanBackwards(from: high, downTo: low, visit)
            }
        }
    }

    /// Reads records one by one, so that damage of one, or of the way to it, does not end the read.
    private func forEach(
        in range: ClosedRange<Position>, _ order: ReadOrder, _ snapshot: borrowing LogSnapshot,
        _ decoder: RecordDecoder, _ wants: (RecordView) -> Bool, _ onDamage: (StoreError) throws -> Void,
        _ body: (RecordedEvent) throws -> Bool
    ) throws {
        let (first, last) = (range.lowerBound.rawValue, range.upperBound.rawValue)
        var step: UInt64 = 0
        while step <= last - first {
            let position = Position(order == .ascending ? first + step : last - step)
            step += 1
            if let gap = try? snapshot.gap(at: position) {
                let (low, high) = (gap.positions.lowerBound.rawValue, gap.positions.upperBound.rawValue)
                step = order == .ascending ? high + 1 - first : last + 1 - low
                continue
            }
            var event: RecordedEvent?
            do {
                if let record = try snapshot.record(at: position), wants(record) {
                    event = try RecordedEvent(record, decoder)
                }
            } catch let error as StoreError where error.isOfRecord || error.code == .logDamaged {
                try onDamage(error.position == nil ? StoreError(error.code, error.message, position: position) : error)
            }
            if let event, try !body(event) { return }
        }
    }

    /// At most `limit` events between two positions; see ``forEachEvent(from:to:order:where:onDamage:_:)``.
    ///
    /// - Parameters:
    ///   - first: The first position; positions before the log's first are taken for it.
    ///   - last: The last position; nil for the log's last.
    ///   - order: The direction.
    ///   - filter: The events to include.
    ///   - limit: The maximum number of events.
    /// - Throws: `StoreError`, `recordDamaged` with the position of a damaged record.
    public func events(
        from first: Position = Position(1), to last: Position? = nil, order: ReadOrder = .ascending,
        where filter: EventFilter = .all, limit: Int = 1000
    ) throws -> [RecordedEvent] {
        guard limit > 0 else { return [] }
        var events: [RecordedEvent] = []
        try forEachEvent(from: first, to: last, order: order, where: filter) { event in
            events.append(event)
            return events.count < limit
        }
        return events
    }

    /// At most `limit` events between two positions; the `async` form of the synchronous one.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func events(
        from first: Position = Position(1), to last: Position? = nil, order: ReadOrder = .ascending,
        where filter: EventFilter = .all, limit: Int = 1000
    ) async throws -> [RecordedEvent] {
        try await run(on: readQueue) {
            try self.events(from: first, to: last, order: order, where: filter, limit: limit)
        }
    }

    /// The declarations of hosts' own types of events from each time this store was opened for writing, by type and
    /// version.
    ///
    /// They name the fields of events whose types are not registered now.
    ///
    /// - Throws: `StoreError`.
    public func eventDescriptions() throws -> [EventDescription] {
        let resources = try opened()
        return try StoreError.translating { try resources.log.eventDescriptions() }
    }
}

extension EventFilter {
    func wants(_ record: RecordView, conversation number: UInt32?) -> Bool {
        if let number, record.conversation != number { return false }
        if let types, !types.contains(record.type) { return false }
        if let serverTime {
            guard let time = record.serverTime, serverTime.contains(time) else { return false }
        }
        if let recordedTime, !recordedTime.contains(record.clockTime) { return false }
        return true
    }
}

/// The events between two positions, read by pages while they are iterated; see
/// ``MessageStore/MessageStore/allEvents(from:to:order:where:)``.
public struct EventSequence: AsyncSequence, Sendable {
    /// An event with its position.
    public typealias Element = RecordedEvent

    let store: MessageStore
    let first: Position
    let last: Position?
    let order: ReadOrder
    let filter: EventFilter

    /// An iterator that begins at the first event of its direction.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Element, any Error> {
        Iterator(events: self)
    }

    /// Reads ahead by pages of 256 events.
    struct Iterator: AsyncIteratorProtocol {
        private let events: EventSequence
        /// The positions left to read, in the order of the log; nil before the first page.
        private var left: ClosedRange<Position>?
        private var isAtEnd = false
        private var page: ArraySlice<RecordedEvent> = []

        init(events: EventSequence) { self.events = events }

        /// The next event; nil at the end.
        ///
        /// - Throws: `StoreError`, `recordDamaged` with the position of a damaged record, `closed`;
        ///   `CancellationError`.
        mutating func next() async throws -> RecordedEvent? {
            while page.isEmpty, !isAtEnd { try await readPage() }
            return page.popFirst()
        }

        private mutating func readPage() async throws {
            let (events, left) = (events, left)
            let (range, found) = try await events.store.run(on: events.store.readQueue) {
                let range = try left ?? events.range()
                guard let range else { return (range, [RecordedEvent]()) }
                return (
                    range,
                    try events.store.events(
                        from: range.lowerBound, to: range.upperBound, order: events.order, where: events.filter,
                        limit: 256)
                )
            }
            page = found[...]
            guard let range, found.count == 256, let reached = found.last?.position else {
                isAtEnd = true
                return
            }
            switch events.order {
            case .ascending:
                isAtEnd = reached == range.upperBound
                if !isAtEnd { self.left = Position(reached.rawValue + 1)...range.upperBound }
            case .descending:
                isAtEnd = reached == range.lowerBound
                if !isAtEnd { self.left = range.lowerBound...Position(reached.rawValue - 1) }
            }
        }
    }

    /// The positions between which to read; nil if there is none.
    private func range() throws -> ClosedRange<Position>? {
        let low = Swift.max(first, Position(1))
        let end = try store.lastPosition()
        let high = last.map { Swift.min($0, end) } ?? end
        return low <= high ? low...high : nil
    }
}

extension MessageStore {
    /// The events between two positions, both included, one by one; the store may be used meanwhile.
    ///
    /// ```swift
    /// for try await recorded in store.allEvents(where: EventFilter(types: [.messageReceived])) { … }
    /// ```
    ///
    /// Ends at the event that was the log's last when the iteration began. A redaction that is made meanwhile may be
    /// seen. Costs as much as ``forEachEvent(from:to:order:where:onDamage:_:)``; each page is one read. Iteration
    /// throws `CancellationError` between pages.
    ///
    /// - Parameters:
    ///   - first: The first position; positions before the log's first are taken for it.
    ///   - last: The last position; nil for the log's last.
    ///   - order: The direction.
    ///   - filter: The events to include.
    /// - Returns: A sequence that reads nothing before it is iterated.
    public func allEvents(
        from first: Position = Position(1), to last: Position? = nil, order: ReadOrder = .ascending,
        where filter: EventFilter = .all
    ) -> EventSequence {
        EventSequence(store: self, first: first, last: last, order: order, filter: filter)
    }
}

/// Selects events from the log. A `nil` property matches every event.
public struct EventFilter: Sendable, Hashable {
    /// Only these types.
    public var types: Set<EventType>?
    /// Only this conversation.
    public var conversation: ConversationKey?
    /// Only events with a server time in this range.
    public var serverTime: ClosedRange<Timestamp>?
    /// Only events recorded while this device's clock showed a time of this range; see `RecordedEvent.clockTime`.
    public var recordedTime: ClosedRange<Timestamp>?

    /// Creates a filter.
    public init(
        types: Set<EventType>? = nil, conversation: ConversationKey? = nil,
        serverTime: ClosedRange<Timestamp>? = nil, recordedTime: ClosedRange<Timestamp>? = nil
    ) {
        self.types = types
        self.conversation = conversation
        self.serverTime = serverTime
        self.recordedTime = recordedTime
    }

    /// All events.
    public static let all = EventFilter()
}
