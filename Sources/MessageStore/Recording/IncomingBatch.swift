/// Events on their way into the log: those that are kept, and messages that are only told to whoever listens (d10).
struct IncomingBatch {
    /// The events as they were given.
    let events: [Event]
    /// Those that are recorded.
    let kept: [Event]
    /// Indices in `events` of those that are not, ascending.
    private let unkept: [Int]
    /// What the host's filter says of messages, by their index in `events`.
    var verdicts: [Int: MessageFiltered] = [:]

    /// Settles which policy each message has (d11) and splits the batch.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where a message that is not kept breaks a rule; the log checks
    ///   the others.
    init(_ events: [Event], _ types: ContentTypeRegistry) throws {
        let events = types.settlingPolicies(of: events)
        self.events = events
        unkept = events.indices.filter { !events[$0].isKept }
        for index in unkept { try events[index].validate() }
        kept = unkept.isEmpty ? events : events.filter(\.isKept)
    }

    /// The verdicts on what is recorded, by index in `kept`.
    var keptVerdicts: [Int: MessageFiltered] {
        guard !unkept.isEmpty else { return verdicts }
        let kept = events.indices.filter { events[$0].isKept }
        return Dictionary(
            uniqueKeysWithValues: kept.enumerated().compactMap { place, index in
                verdicts[index].map { (place, $0) }
            })
    }

    /// A position for each event as it was given; `Position.origin` for what is not kept.
    func positions(_ recorded: [Position]) -> [Position] {
        guard !unkept.isEmpty else { return recorded }
        var positions = recorded
        for index in unkept { positions.insert(.origin, at: index) }
        return positions
    }

    /// What listeners are told of the batch once it is recorded: what is shown of it.
    ///
    /// - Parameters:
    ///   - positions: A position for each event, see ``positions(_:)``.
    ///   - repeats: The positions of messages that turned out to repeat others.
    ///   - last: The log's last position before; what stands at or below it was known.
    ///   - account: Whose store it is.
    func deliveries(
        at positions: [Position], repeats: Set<Position>, after last: Position, account: UserID
    ) -> [Delivery] {
        var newest = last
        var told: [(event: Event, position: Position?)] = []
        for (index, (event, position)) in zip(events, positions).enumerated() {
            let isNew = position > newest
            newest = max(newest, position)
            guard isNew || !event.isKept, !repeats.contains(position), event.isIncomingMessage,
                let shown = event.shown(by: verdicts[index]?.verdict, to: account)
            else { continue }
            told.append((shown, isNew ? position : nil))
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
        payload._isKept
    }

    /// Whether listeners are told: messages that arrive, not those fetched from history (B52).
    fileprivate var isIncomingMessage: Bool {
        type == .messageReceived && origin != .history
    }

    /// The message as an account sees it, by a filter's verdict or by the list of those who may; nil where it does not.
    func shown(by verdict: FilterVerdict?, to account: UserID) -> Event? {
        guard var message = payload as? MessageReceived, let conversation else { return self }
        switch verdict {
        case .hide: return nil
        case .keep: return self
        case nil, .unknown: return message.isDirected(past: account, in: conversation) ? nil : self
        case .replace(let content):
            var event = self
            message.content = content
            event.payload = message
            return event
        }
    }
}
