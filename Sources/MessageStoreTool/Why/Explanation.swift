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

        var changes: [Fact.Change] { before.changes(to: after) }
    }

    /// The subject as events name it.
    let subject: String
    let position: Position
    /// The user whose profile is explained; nil for other subjects.
    let profile: UserID?
    /// Notes to show before the facts, such as that the store does not know the conversation.
    let notes: [String]
    let facts: [Fact]
    /// The events that set the facts, by their names; none for a fact that is as it is without any.
    let causes: [String: RecordedEvent]
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
    ///   - notes: Notes to show first.
    ///   - position: As of when.
    ///   - limit: The maximum number of steps.
    ///   - names: The names to show with ids; nil for ids alone.
    init(
        _ subject: Subject, notes first: [String] = [], in store: MessageStore, at position: Position, limit: Int,
        names: Names? = nil, progress: MessageStore.ReplayProgress
    ) throws {
        let session = try subject.session(store)
        let notes = EventNotes(store: store, session: session)
        if case .badge = subject { names?.loadConversations() }
        let (facts, rule) = try session.read(at: position, progress: progress) {
            try (subject.facts($0), subject.rule($0, names))
        }
        var (changes, causes): ([ValueChange<[Fact]>], [String: Position]) = ([], [:])
        var (missing, isCut) = (Set(facts.filter(\.value.isSet).map(\.name)), false)
        let isAll = try subject.forEachChange(in: session, through: position, progress: progress) { change in
            if changes.count < limit { changes.append(change) } else { isCut = true }
            for (name, before, after) in change.before.changes(to: change.after)
            where causes[name] == nil && (before?.isSet == true || after?.isSet == true) {
                causes[name] = change.position
                missing.remove(name)
            }
            return changes.count < limit || !missing.isEmpty
        }
        if let marker = try subject.marker(facts, notes, upTo: position) { causes["status"] = marker.position }
        isComplete = isAll && !isCut
        if case .profile(let user) = subject { profile = user } else { profile = nil }
        self.notes = try first + subject.notes(in: store, names)
        self.facts = facts
        self.causes = try causes.compactMapValues { try store.event(at: $0) }
        self.rule =
            try rule + subject.staleness(facts, notes, upTo: position)
            + subject.markerWords(facts, notes, upTo: position, names)
        steps = try changes.reversed().compactMap { change in
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
        replayStart = try store.replayStart()
        let first = isComplete ? Position(1) : changes.last?.position ?? Position(1)
        withoutEffect = try subject.eventsWithoutEffect(
            notes, from: first, to: position, except: Set(changes.map(\.position)), limit: limit
        ).map { ($0, try notes.reason($0)) }
        lookalikes = try subject.lookalikes(in: store, upTo: position)
    }
}

extension [Fact] {
    /// The facts that differ from those after an event; nil for a fact that did not exist before, or no longer exists.
    fileprivate func changes(to after: [Fact]) -> [Fact.Change] {
        if count == after.count, zip(self, after).allSatisfy({ $0.name == $1.name }) {
            return zip(self, after).filter { $0.value != $1.value }.map { ($0.name, $0.value, $1.value) }
        }
        let names = map(\.name) + after.map(\.name).filter { name in !contains { $0.name == name } }
        return names.compactMap { name in
            let (old, new) = (first { $0.name == name }?.value, after.first { $0.name == name }?.value)
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
            "position": position, "notes": notes, "rule": rule,
            "facts": facts.map { fact in
                let cause = causes[fact.name]
                return [
                    "name": fact.name, "value": fact.value, "event": cause?.position, "type": cause?.source.typeName,
                ]
                    as JSONObject
            }, "steps": steps,
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
        func block(_ event: RecordedEvent) -> [String] {
            var event = event
            if let profile, var fetched = event.event.payload as? ProfilesFetched {
                fetched.profiles.removeAll { $0.id != profile }
                var narrowed = event.event
                narrowed.payload = fetched
                event = event.replacing(narrowed)
            }
            return EventColumns(event, hosts, hasContent: hasContent, names: names).lines(indent: 2)
        }
        let width = facts.map { $0.name.count }.max() ?? 0
        var lines = notes + ["At \(position):"]
        lines += facts.filter { $0.value != .absent }.map { fact in
            let cause = causes[fact.name].map { "  by \($0.position) \(hosts.typeName(of: $0))" } ?? ""
            let spaces = String(repeating: " ", count: width - fact.name.count)
            return "  \(fact.name)\(spaces)  \(fact.value.words(names))\(cause)"
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
            lines += block(step.event)
            lines += step.changes.map { change in
                let (before, after) = (change.before ?? .absent, change.after ?? .absent)
                return "      \(change.name): \(before.words(names)) -> \(after.words(names))"
            }
            if let cause = step.cause { lines.append("      by \(cause)") }
        }
        if !withoutEffect.isEmpty {
            lines += ["", "Events that name \(subject) and changed nothing:"]
            for (event, reason) in withoutEffect { lines += block(event) + ["      \(reason)"] }
        }
        if !lookalikes.isEmpty {
            lines += ["", "The same sender, time and content under other ids:"] + lookalikes.flatMap(block)
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

        /// Whether an event must have set it.
        var isSet: Bool { self != .absent && self != .flag(false) && self != .number(0) }
    }

    typealias Change = (name: String, before: Value?, after: Value?)

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
