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

    /// The subject as events name it.
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
    let replayStart: Position
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
        let notes = EventNotes(store: store, session: session)
        let (changes, isComplete) = try session.lastChanges(
            of: subject.facts, at: subject.filters, and: subject.positions.filter { $0 <= position },
            through: position, limit: limit, progress: progress)
        if case .badge = subject { names?.loadConversations() }
        let (facts, rule) = try session.read(at: position) { try (subject.facts($0), subject.rule($0, names)) }
        if case .profile(let user) = subject { profile = user } else { profile = nil }
        self.notes = try subject.notes(in: store, names)
        self.facts = facts
        self.rule =
            try rule + subject.staleness(facts, notes, upTo: position)
            + subject.markerWords(facts, notes, upTo: position, names)
        steps = try changes.compactMap { change in
            try store.event(at: change.position).map {
                var step = Step(event: $0, before: change.before, after: change.after)
                if step.changes.contains(where: { $0.name == "status" }) {
                    step.cause = try subject.marker(change.after, notes, upTo: change.position)?.markerWords(names)
                }
                return step
            }
        }
        self.position = position
        if case .member = subject { self.subject = "the member" } else { self.subject = "it" }
        self.isComplete = isComplete
        replayStart = try store.replayStart()
        let first = isComplete ? Position(1) : changes.first?.position ?? Position(1)
        withoutEffect = try subject.eventsWithoutEffect(
            notes, from: first, to: position, except: Set(changes.map(\.position)), limit: limit
        ).map { ($0, try notes.reason($0)) }
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

extension Explanation {
    /// The explanation as JSON.
    var object: JSONObject {
        let steps = steps.map { step in
            let changes = step.changes.map { change in
                ["name": change.name, "before": change.before, "after": change.after] as JSONObject
            }
            return ["event": step.event, "changes": changes, "cause": step.cause] as JSONObject
        }
        return [
            "position": position, "notes": notes, "facts": facts, "rule": rule, "steps": steps,
            "isComplete": isComplete, "base": replayStart,
            "withoutEffect": withoutEffect.map { JSONObject($0.event, ["reason": $0.reason]) },
            "lookalikes": lookalikes,
        ]
    }

    /// The explanation for people, line by line.
    ///
    /// - Parameters:
    ///   - hosts: The log's descriptions of hosts' events.
    ///   - hasContent: Whether to show user-written text.
    func lines(_ hosts: HostEvents, hasContent: Bool, names: Names) -> [String] {
        func line(_ event: RecordedEvent) -> String {
            var event = event
            if let profile, var fetched = event.event.payload as? ProfilesFetched {
                fetched.profiles.removeAll { $0.id != profile }
                var narrowed = event.event
                narrowed.payload = fetched
                event = event.replacing(narrowed)
            }
            return EventColumns(event, hosts, hasContent: hasContent, names: names).line(
                nil, separator: "  ", none: "-")
        }
        let width = facts.map { $0.name.count }.max() ?? 0
        var lines = notes + ["At \(position):"]
        lines += facts.filter { $0.value != .absent }.map { fact in
            "  \(fact.name)\(String(repeating: " ", count: width - fact.name.count))  \(fact.value.words(names))"
        }
        if !rule.isEmpty { lines += ["", "Rule:"] + rule.map { "  \($0)" } }
        let known =
            isComplete
            ? "All events that changed it"
            : steps.count == 1 ? "The last event that changed it" : "The last \(steps.count) events that changed it"
        lines += ["", steps.isEmpty ? "No event changed it." : "\(known):"]
        if replayStart > .origin {
            lines.append("  (Records before event \(replayStart) were cut off; what they changed is not shown.)")
        }
        for step in steps {
            lines.append("  \(line(step.event))")
            lines += step.changes.map { change in
                let (before, after) = (change.before ?? .absent, change.after ?? .absent)
                return "      \(change.name): \(before.words(names)) -> \(after.words(names))"
            }
            if let cause = step.cause { lines.append("      by \(cause)") }
        }
        if !withoutEffect.isEmpty {
            lines += ["", "Events that name \(subject) and changed nothing:"]
            for (event, reason) in withoutEffect { lines += ["  \(line(event))", "      \(reason)"] }
        }
        if !lookalikes.isEmpty {
            lines += ["", "The same sender, time and content under other ids:"] + lookalikes.map { "  \(line($0))" }
        }
        return lines.map(\.terminalSafe)
    }
}

/// A named value of the views, as it is compared, printed and encoded.
struct Fact: Hashable, Encodable {
    enum Value: Hashable {
        case absent
        case number(Int)
        case flag(Bool)
        case time(Timestamp)
        case text(String)
        case user(UserID)
    }

    let name: String
    let value: Value

    init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    init(_ name: String, _ number: Int) { self.init(name, .number(number)) }
    init(_ name: String, _ flag: Bool) { self.init(name, .flag(flag)) }
    init(_ name: String, _ text: String?) { self.init(name, text.map { .text($0) } ?? .absent) }
    init(_ name: String, _ user: UserID?) { self.init(name, user.map { .user($0) } ?? .absent) }
    init(_ name: String, _ time: Timestamp?) { self.init(name, time.map { .time($0) } ?? .absent) }
    init(_ name: String, _ place: MessageOrder?) { self.init(name, place?.description) }
}

extension Fact.Value: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .absent: try container.encodeNil()
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .time(let time): try container.encode(time)
        case .text(let text): try container.encode(text)
        case .user(let user): try container.encode(user.rawValue)
        }
    }

    /// The value for people.
    ///
    /// - Parameter names: The names to show with ids; nil for ids alone.
    func words(_ names: Names?) -> String {
        switch self {
        case .absent: "none"
        case .number(let number): NumberFormat.count(number)
        case .flag(let flag): flag ? "yes" : "no"
        case .time(let time): time.description
        case .text(let text): text
        case .user(let user): names.label(of: user)
        }
    }
}

extension MessageOrder? {
    /// The place in words.
    var words: String { self?.description ?? "an unknown place" }
}
