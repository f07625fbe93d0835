extension IncomingBatch {
    /// A position for each event as it was given; nil for what is not stored.
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

    /// The batch's deliveries to listeners once it is recorded: of its messages, those that are shown.
    ///
    /// - Parameters:
    ///   - positions: A position for each event, see ``positions(_:)``.
    ///   - passedOver: The positions of messages that turned out to repeat others, or have lost their words.
    ///   - last: The log's last position before; what is at or below it was known.
    ///   - account: The account whose store it is.
    func deliveries(
        at positions: [Position?], except passedOver: Set<Position>, after last: Position, account: UserID
    ) -> [Delivery] {
        var newest = last
        var told: [(event: Event, position: Position?)] = []
        for (index, (event, position)) in zip(events, positions).enumerated() {
            let isNew = position.map { $0 > newest } ?? false
            if let position, isNew { newest = position }
            guard isNew || !event.isStored, event.isIncomingMessage,
                position.map({ !passedOver.contains($0) }) ?? true,
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
    /// Whether it is delivered to listeners: messages that arrive, not those fetched from history (B52).
    fileprivate var isIncomingMessage: Bool {
        type == .messageReceived && origin != .history
    }

    /// The message as an account sees it, by a filter's verdict or by the list of those who may; nil where it does not.
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
