internal import MessageStore
internal import MessageStoreProjections

/// A look for what may be wrong with a log, in a pass over its events and another over what the views made of them.
struct Examination {
    private(set) var findings: [Symptom: Findings] = [:]
    private let limit: Int
    private var repeats = RecentMessages()
    private var openSync: Position?

    /// A server time up to which a number of milliseconds is more likely one of seconds: 1973 against the year 5138.
    private static let lastSeconds: Int64 = 100_000_000_000
    private static let day: Int64 = 86_400_000

    /// - Parameters:
    ///   - limit: The maximum number of findings to keep of each symptom; all are counted.
    ///   - skipsEffects: Whether to leave out the search for events that changed nothing, which replays the log.
    init(_ store: MessageStore, limit: Int, skipsEffects: Bool, progress: MessageStore.ReplayProgress) throws {
        self.limit = limit
        let last = try store.lastPosition()
        let hosts = HostEvents(try store.eventDescriptions())
        var session = skipsEffects ? nil : try store.replaySession()
        var start = Position(1)
        while start <= last {
            let end = min(last, Position(start.rawValue + Self.piece - 1))
            var candidates: [Position] = []
            var damaged: [Position?] = []
            try store.forEachEvent(from: start, to: end, onDamage: { damaged.append($0.position) }) { event in
                examine(event, hosts)
                if Self.shouldHaveEffect(event) { candidates.append(event.position) }
                return true
            }
            for position in damaged { add(.damaged, Finding(at: position)) }
            if !damaged.isEmpty { session = nil }
            if let session { try findEventsWithoutEffect(among: candidates, store, session) }
            try progress(end, last)
            start = Position(end.rawValue + 1)
        }
        if let openSync { add(.sync, Finding(at: openSync)) }
        do {
            try examineViews(store)
        } catch let error as StoreError where error.code == .recordDamaged {
            // It was found among the events.
        }
    }

    /// Events that are read at a time.
    private static let piece: UInt64 = 4096

    private mutating func findEventsWithoutEffect(
        among candidates: [Position], _ store: MessageStore, _ session: ReplaySession
    ) throws {
        for position in try session.eventsWithoutEffect(among: candidates) {
            let event = try store.events(from: position, to: position, limit: 1).first?.event
            add(.noEffect, Finding(at: position, in: event?.conversation, event?.payload.typeName))
        }
    }

    private mutating func add(_ symptom: Symptom, _ finding: Finding) {
        findings[symptom, default: Findings(limit: limit)].add(finding)
    }

    /// Messages always have an effect, but for repeats; what only this library does not know has none.
    private static func shouldHaveEffect(_ event: RecordedEvent) -> Bool {
        !MessageNames.messages.contains(event.event.type) && !(event.event.payload is UnknownEvent)
    }
}

// MARK: Events

extension Examination {
    private mutating func examine(_ recorded: RecordedEvent, _ hosts: HostEvents) {
        let event = recorded.event
        examineTime(recorded)
        switch event.payload {
        case let message as MessageReceived:
            if let first = repeats.insert(message, in: event.conversation, at: recorded.position) {
                add(.repeats, Finding(at: recorded.position, in: event.conversation, "repeats \(first)"))
            }
        case is OfflineSyncStarted:
            if let openSync { add(.sync, Finding(at: openSync)) }
            openSync = recorded.position
        case is OfflineSyncCompleted: openSync = nil
        case is RecordLost: add(.lost, Finding(at: recorded.position))
        case is UnknownEvent:
            if hosts.name(of: event.type) == nil {
                add(.unknown, Finding(at: recorded.position, in: event.conversation, event.type.description))
            }
        default: break
        }
    }

    private mutating func examineTime(_ recorded: RecordedEvent) {
        guard let time = recorded.event.serverTime, time != .unknown, time != .latest else { return }
        if (1..<Self.lastSeconds).contains(time.milliseconds), recorded.recordedTime.milliseconds > Self.lastSeconds {
            add(.seconds, Finding(at: recorded.position, in: recorded.event.conversation, time.words))
        } else if time.milliseconds - recorded.recordedTime.milliseconds > Self.day {
            add(.future, Finding(at: recorded.position, in: recorded.event.conversation, time.words))
        }
    }
}

/// The messages that were received lately, by what a repeat of one would be equal in.
private struct RecentMessages {
    private struct Key: Hashable {
        let conversation: ConversationKey?
        let sender: UserID
        let time: Timestamp
        let content: Int
    }

    /// Messages held at a time; half of them, the later ones, always.
    private static let capacity = 1 << 18

    private var recent: [Int: Position] = [:]
    private var older: [Int: Position] = [:]

    /// Enters a message; answers with the one that it seems to repeat, or nil.
    mutating func insert(_ message: MessageReceived, in conversation: ConversationKey?, at position: Position)
        -> Position?
    {
        let key = Key(
            conversation: conversation, sender: message.sender, time: message.sentTime,
            content: message.content.hashValue
        ).hashValue
        if let first = recent[key] ?? older[key] { return first }
        if recent.count == Self.capacity / 2 { (older, recent) = (recent, [:]) }
        recent[key] = position
        return nil
    }
}

// MARK: Views

extension Examination {
    private mutating func examineViews(_ store: MessageStore) throws {
        let last = try store.lastPosition()
        let now = try store.events(from: last, to: last, limit: 1).first?.recordedTime ?? .unknown
        try store.read { views in
            for message in try views.outbox() where now.milliseconds - message.recordedTime.milliseconds > Self.day {
                let status = String(describing: message.status)
                add(.outbox, Finding(at: Position(message.id.rawValue), in: message.conversation, status))
            }
            try views.forEachUnread { key, basis in
                guard let report = basis.count.report else { return }
                var held = 0
                try views.forEachUnreadCandidate(in: key) { candidate in
                    if candidate.isReported, candidate.exclusion == nil { held += 1 }
                    return held < report.count
                }
                guard held < report.count, !basis.count.isLowerBound else { return }
                add(.serverCount, Finding(in: key, "\(report.count) by the server, \(held) here"))
            }
            try views.forEachConversationWithGaps { key, count in
                add(.holes, Finding(in: key, "\(count) \(count == 1 ? "hole" : "holes")"))
            }
            try views.forEachMissingMessage { key, id in
                add(.waiting, Finding(in: key, id.rawValue))
            }
        }
    }
}
