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

    /// The positions between which to read; nil where there is none.
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
    /// seen. Costs what ``forEachEvent(from:to:order:where:onDamage:_:)`` does; each page is one read. Iteration throws
    /// `CancellationError` between pages.
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
