/// How a value of the views came to be.
struct Explanation {
    /// An event that changed it.
    struct Step {
        let event: RecordedEvent
        /// The facts before and after, of which some differ.
        let before: [Fact]
        let after: [Fact]
        /// The receipt up to a place that gave a message its status, if no other event did.
        var cause: String?
    }

    /// What is explained, where events name it.
    let subject: String
    let position: Position
    /// The user whose profile is explained; nil for other subjects.
    let profile: UserID?
    /// Notes to show before the facts, such as that the store does not know the conversation.
    let notes: [String]
    let facts: [Fact]
    let rule: [String]
    /// The last events that changed it, oldest first.
    let steps: [Step]
    /// Whether no earlier event changed it.
    let isComplete: Bool
    /// The position from which on the log can be replayed; the origin where no record was cut off.
    let base: Position
    /// The last events that are about it by what they name, and changed nothing, and why they did not.
    let withoutEffect: [(event: RecordedEvent, reason: String)]
    /// Other messages with the same sender, time and words.
    let lookalikes: [RecordedEvent]

    /// - Parameters:
    ///   - position: As of when.
    ///   - limit: The maximum number of steps.
    ///   - names: The names to show with ids; nil for ids alone.
    init(
        _ subject: Subject, in store: MessageStore, at position: Position, limit: Int,
        names: Names? = nil, progress: MessageStore.ReplayProgress
    ) throws {
        let session = try subject.session(store)
        let (changes, isComplete) = try session.lastChanges(
            of: subject.facts, at: subject.filters, and: subject.positions.filter { $0 <= position },
            through: position, limit: limit, progress: progress)
        if case .badge = subject { names?.loadConversations() }
        let (facts, rule) = try session.read(at: position) { try (subject.facts($0), subject.rule($0, names)) }
        if case .profile(let user) = subject { profile = user } else { profile = nil }
        notes = try subject.notes(in: store, names)
        self.facts = facts
        self.rule =
            try rule + subject.staleness(facts, in: store, upTo: position)
            + subject.markerWords(facts, in: store, upTo: position, names)
        steps = try changes.compactMap { change in
            try store.event(at: change.position).map {
                var step = Step(event: $0, before: change.before, after: change.after)
                if step.changes.contains(where: { $0.name == "status" }) {
                    step.cause = try subject.marker(change.after, in: store, upTo: change.position)?.words(names)
                }
                return step
            }
        }
        self.position = position
        if case .member = subject { self.subject = "the member" } else { self.subject = "it" }
        self.isComplete = isComplete
        base = try store.base()
        let first = isComplete ? Position(1) : changes.first?.position ?? Position(1)
        let others = try subject.eventsWithoutEffect(
            in: store, from: first, to: position, except: Set(changes.map(\.position)), limit: limit)
        withoutEffect = try others.map { ($0, try EventNotes.reason($0, in: store)) }
        lookalikes = try subject.lookalikes(in: store, upTo: position)
    }
}

extension Explanation.Step {
    /// The facts that the event changed; nil for a fact that did not exist before, or no longer exists.
    var changes: [(name: String, before: Fact.Value?, after: Fact.Value?)] {
        let names = before.map(\.name) + after.map(\.name).filter { name in !before.contains { $0.name == name } }
        return names.compactMap { name in
            let (old, new) = (before.first { $0.name == name }?.value, after.first { $0.name == name }?.value)
            return old ?? .absent == new ?? .absent ? nil : (name, old, new)
        }
    }
}

extension Subject {
    /// Other messages of the conversation with the same sender, time and content, under other ids.
    fileprivate func lookalikes(in store: MessageStore, upTo last: Position) throws -> [RecordedEvent] {
        guard case .message(let names) = self, let first = names.locals.min(by: { $0.rawValue < $1.rawValue }),
            let event = try store.event(at: Position(first.rawValue)),
            let message = event.event.payload as? MessageReceived
        else { return [] }
        var found: [RecordedEvent] = []
        let filter = EventFilter(
            types: [EventType(MessageReceived.self)], conversation: event.event.conversation,
            serverTime: message.sentTime...message.sentTime)
        try store.forEachEvent(to: last, where: filter) { other in
            if let received = other.event.payload as? MessageReceived, received.sender == message.sender,
                received.content == message.content, !names.locals.contains(LocalMessageID(other.position.rawValue))
            {
                found.append(other)
            }
            return found.count < 20
        }
        return found
    }
}
