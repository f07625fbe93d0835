/// Events on their way into the log: stored events, and messages that are only delivered to listeners (d10).
struct IncomingBatch {
    /// The events as they were given.
    let events: [Event]
    /// The events that are recorded.
    let stored: [Event]
    /// Indices in `events` of the other events, ascending.
    let unstored: [Int]
    /// The verdicts of the host's filter on messages, by their index in `events`.
    var verdicts: [Int: MessageFiltered] = [:]
    /// Whether another process handed them over.
    var isHandedOver = false

    /// Settles which policy each message has (d11) and splits the batch.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` if a message that is not stored breaks a rule, or one to send
    ///   lacks the text that its service requires; the log checks the others.
    init(_ events: [Event], _ types: ContentTypeRegistry) throws {
        try types.checkTexts(of: events)
        let events = types.settlingPolicies(of: events)
        self.events = events
        unstored = Self.unstored(of: events)
        for index in unstored { try events[index].validate() }
        stored = unstored.isEmpty ? events : events.filter(\.isStored)
    }

    /// By index, and from a function of its own, so that events are lent from their array and not copied.
    @inline(never)
    private static func unstored(of events: [Event]) -> [Int] {
        var unstored: [Int] = []
        for index in events.indices where !Event.isStored(events[index]) { unstored.append(index) }
        return unstored
    }

    /// The verdicts on the recorded events, by index in `stored`.
    var storedVerdicts: [Int: MessageFiltered] {
        guard !unstored.isEmpty else { return verdicts }
        let stored = events.indices.filter { events[$0].isStored }
        return Dictionary(
            uniqueKeysWithValues: stored.enumerated().compactMap { place, index in
                verdicts[index].map { (place, $0) }
            })
    }
}

extension Event {
    /// Whether the event is recorded at all.
    var isStored: Bool { Self.isStored(self) }

    @inline(never)
    fileprivate static func isStored(_ event: Event) -> Bool { event.payload.isRecorded }
}

extension IncomingBatch {
    /// A position for each event as it was given; nil if it is not stored.
    func positions(_ recorded: [Position]) -> [Position?] {
        // Not by converting the array, which casts each element.
        var positions = recorded.map { Optional($0) }
        for index in unstored { positions.insert(nil, at: index) }
        return positions
    }

    /// The indices in `events` of events that have these in `stored`; both ascending.
    func indices(ofStored stored: [Int]) -> [Int] {
        guard !unstored.isEmpty else { return stored }
        return stored.map { index in unstored.reduce(index) { $1 <= $0 ? $0 + 1 : $0 } }
    }

    /// The batch's deliveries to listeners once it is recorded: of its messages, the shown ones.
    ///
    /// - Parameters:
    ///   - positions: A position for each event, see ``positions(_:)``.
    ///   - passedOver: The positions of messages that turned out to repeat others, or have lost their words.
    ///   - last: The log's last position before; events at or below it were known.
    ///   - account: The account whose store it is.
    func deliveries(
        at positions: [Position?], except passedOver: Set<Position>, after last: Position, account: UserID
    ) -> [Delivery] {
        var newest = last
        var delivered: [(event: Event, position: Position?)] = []
        for (index, (event, position)) in zip(events, positions).enumerated() {
            let isNew = position.map { $0 > newest } ?? false
            if let position, isNew { newest = position }
            guard isNew || !event.isStored, event.isIncomingMessage,
                position.map({ !passedOver.contains($0) }) ?? true,
                let shown = event.shown(by: verdicts[index]?.verdict, to: account)
            else { continue }
            delivered.append((shown, isNew ? position : nil))
        }
        return delivered.indices.compactMap { index in
            let (event, position) = delivered[index]
            guard let conversation = event.conversation else { return nil }
            return Delivery(
                .message(event, position: position), in: conversation, remaining: delivered.count - 1 - index)
        }
    }
}

extension Event {
    /// Whether it is delivered to listeners: messages that arrive, not those fetched from history (B52).
    fileprivate var isIncomingMessage: Bool {
        type == .messageReceived && origin != .history
    }

    /// The message as an account sees it, by a filter's verdict or by the list of accounts that may see it; nil if it
    /// does not.
    func shown(by verdict: FilterVerdict?, to account: UserID) -> Event? {
        guard var message = payload as? MessageReceived, let conversation else { return self }
        switch verdict {
        case .hide: return nil
        case .keep: return self
        case nil, .unknown: return message.isDirected(past: account, in: conversation.kind) ? nil : self
        case .replace(let content):
            var event = self
            message.content = content
            event.payload = message
            return event
        }
    }
}
