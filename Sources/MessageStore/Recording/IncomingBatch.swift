/// Events on their way into the log: those that are kept, and messages that are only told to whoever listens (d10).
struct IncomingBatch {
    /// The events as they were given.
    let events: [Event]
    /// Those that are recorded.
    let kept: [Event]
    /// Indices in `events` of those that are not, ascending.
    private let unkept: [Int]

    /// Splits a batch.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where a message that is not kept breaks a rule; the log checks
    ///   the others.
    init(_ events: [Event]) throws {
        self.events = events
        unkept = events.indices.filter { !events[$0].isKept }
        for index in unkept { try events[index].validate() }
        kept = unkept.isEmpty ? events : events.filter(\.isKept)
    }

    /// A position for each event as it was given; `Position.origin` for what is not kept.
    func positions(_ recorded: [Position]) -> [Position] {
        guard !unkept.isEmpty else { return recorded }
        var positions = recorded
        for index in unkept { positions.insert(.origin, at: index) }
        return positions
    }

    /// What listeners are told of the batch once it is recorded.
    ///
    /// - Parameters:
    ///   - positions: A position for each event, see ``positions(_:)``.
    ///   - last: The log's last position before; what stands at or below it was known.
    func deliveries(at positions: [Position], after last: Position) -> [Delivery] {
        var newest = last
        var told: [(event: Event, position: Position?)] = []
        for (event, position) in zip(events, positions) {
            let isNew = position > newest
            newest = max(newest, position)
            guard isNew || !event.isKept, event.isIncomingMessage else { continue }
            told.append((event, isNew ? position : nil))
        }
        return told.indices.compactMap { index in
            let (event, position) = told[index]
            guard let conversation = event.conversation else { return nil }
            return Delivery(
                .message(event, position: position), in: conversation, remaining: told.count - 1 - index)
        }
    }
}

extension Event {
    /// Whether the event is recorded at all.
    fileprivate var isKept: Bool {
        if case .messageReceived(let message) = body { return message.policy.isKept }
        return true
    }

    /// Whether listeners are told: messages that arrive, not those fetched from history (B52).
    fileprivate var isIncomingMessage: Bool {
        if case .messageReceived = body { return origin != .history }
        return false
    }
}
