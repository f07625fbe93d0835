internal import ArgumentParser

/// Events that were not recorded as they are to be replayed.
struct WhatIfArguments: ParsableArguments {
    @Option(
        help: """
            Leave events out: positions, ranges such as 3-7, and types, with commas between them; may be given more than \
            once. What the store decided because of an event, such as the verdict on a repeat, is an event of its own.
            """)
    var without: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: .init(
            """
            Give an event other values: its position, then FIELD=VALUE for each, as `log` names and shows them, such as \
            --edit 18635 upTo=2026-11-15T16:01:43.729Z; may be given more than once.
            """, valueName: "position field=value"))
    var edit: [String] = []

    var isEmpty: Bool { without.isEmpty && edit.isEmpty }

    /// The replacement of each event; nil if none is requested.
    ///
    /// - Parameter rules: The rules of `--set`.
    /// - Throws: ``ToolError`` if an argument is wrong.
    func replacement(in store: MessageStore, rules: [String] = []) throws -> EventReplacement? {
        guard !isEmpty || !rules.isEmpty else { return nil }
        var replacement = EventReplacement()
        let hosts = HostEvents(try store.eventDescriptions())
        for item in without.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            try replacement.leaveOut(String(item), hosts, end: store.lastPosition())
        }
        var position: Position?
        for (word, next) in zip(edit, edit.dropFirst() + [""]) {
            if let number = UInt64(word), next.contains("=") {
                position = Position(number)
            } else if let position {
                try replacement.edit(position, word, in: store)
            } else {
                throw ToolError.usage(
                    "--edit \(word): write a position, then FIELD=VALUE, each as an argument of its own")
            }
        }
        for rule in rules { try replacement.set(rule) }
        return replacement
    }

    /// Runs `body` with a store, or with a temporary copy of it that has these events, and closes both.
    func withStore<Result>(_ recorded: MessageStore, _ body: (MessageStore) throws -> Result) throws -> Result {
        let copy = try copy(of: recorded)
        defer {
            try? recorded.close()
            copy?.remove()
        }
        return try body(copy?.store ?? recorded)
    }

    /// A copy of the store with these events, for commands that show events as well; nil if nothing is asked for.
    func copy(
        of store: MessageStore, to last: Position? = nil,
        _ configuration: MessageStore.Configuration = MessageStoreCommand.configuration
    ) throws -> StoreCopy? {
        guard let replacement = try replacement(in: store) else { return nil }
        return try StoreCopy(of: store, to: last ?? store.lastPosition(), configuration: configuration) { range in
            try store.events(from: range.lowerBound, to: range.upperBound).map(replacement.standing(inPlaceOf:))
        }
    }
}

/// The events that are left out, and the ones that are replaced.
struct EventReplacement: Sendable {
    private var positions: [ClosedRange<UInt64>] = []
    private var types: Set<EventType> = []
    private var edits: [Position: EventEdit] = [:]
    private var policies: [PolicyRule] = []

    /// - Throws: ``ToolError`` if the item is neither positions nor a type.
    mutating func leaveOut(_ item: String, _ hosts: HostEvents, end: Position) throws {
        let bounds = item.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { UInt64($0) }
        if let first = bounds[0] {
            guard let last = bounds.count == 1 ? first : bounds[1], first > 0, first <= last else {
                throw ToolError.usage("--without \(item): write a position such as 7, or a range such as 3-7")
            }
            guard last <= end.rawValue else { throw ToolError.usage("--without \(item): the log ends at \(end)") }
            positions.append(first...last)
        } else if let type = EventType(name: item) ?? hosts.type(named: item) {
            types.insert(type)
        } else {
            throw ToolError.usage("--without \(item): that is neither a position nor a type of events")
        }
    }

    /// Sets a field of an event.
    ///
    /// - Throws: ``ToolError`` if there is no such event or field, or the value does not fit.
    mutating func edit(_ position: Position, _ assignment: String, in store: MessageStore) throws {
        var edit = try edits[position] ?? EventEdit(position, in: store)
        try edit.set(assignment)
        edits[position] = edit
    }

    /// - Throws: ``ToolError`` if there is no such rule or value.
    mutating func set(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 2, ["yes", "no"].contains(parts[1]) else {
            throw ToolError.usage("--set \(text): write a rule, =, and yes or no")
        }
        if let type = Self.verdicts[parts[0]] {
            guard parts[1] == "no" else { throw ToolError.usage("--set \(text): that is how it was recorded") }
            types.insert(type)
        } else if let rule = PolicyRule(parts[0], isOn: parts[1] == "yes") {
            policies.append(rule)
        } else {
            throw ToolError.usage("--set \(text): there is no such rule; see --help")
        }
    }

    /// Rules that are events of their own.
    private static let verdicts: [String: EventType] = [
        "unread-reports.apply": EventType(UnreadCountReported.self), "filter.apply": EventType(MessageFiltered.self),
        "repeats.apply": EventType(MessageDuplicateSuppressed.self),
    ]

    /// A replay of a log with these events in the place of the recorded ones.
    func session(_ store: MessageStore) throws -> ReplaySession {
        try store.replaySession(
            where: { type, position in
                isLeftOut(type, position) || edits[position] != nil
                    || (!policies.isEmpty && MessageNames.messages.contains(type))
            },
            transform: { recorded in
                guard !isLeftOut(recorded.event.type, recorded.position) else { return [] }
                return [policies.reduce(edits[recorded.position]?.event ?? recorded.event) { $1.applied(to: $0) }]
            })
    }

    private func isLeftOut(_ type: EventType, _ position: Position) -> Bool {
        types.contains(type) || positions.contains { $0.contains(position.rawValue) }
    }

    /// The event at a position in a new log, which has one at every position: the event itself, another, or a
    /// `RecordLost` if it is left out.
    func standing(inPlaceOf recorded: RecordedEvent) -> RecordedEvent {
        guard !isLeftOut(recorded.event.type, recorded.position) else { return recorded.edited(Event(RecordLost())) }
        return edits[recorded.position].map { recorded.edited($0.event) } ?? recorded
    }
}

/// Another policy for some messages than the one that they were recorded with.
private struct PolicyRule: Sendable {
    private enum Selector: Sendable {
        case all
        case origin(Origin)
        case kind(ConversationKind)
        case type(ContentType)

        init?(_ words: [Substring]) {
            let name = words.dropFirst().joined(separator: ".")
            switch words.first {
            case "all" where words.count == 1: self = .all
            case "origin":
                guard let origin = Origin.names.first(where: { $0.value == name })?.key else { return nil }
                self = .origin(origin)
            case "kind":
                let kinds: [ConversationKind] = [.single, .group, .system, .chatRoom, .unspecified]
                guard let kind = kinds.first(where: { $0.description == name }) else { return nil }
                self = .kind(kind)
            case "type" where !name.isEmpty: self = .type(ContentType(name))
            default: return nil
            }
        }
    }

    private let selector: Selector
    /// Whether the rule is about unread counts, or about previews.
    private let isAboutCounts: Bool
    private let isOn: Bool

    /// Makes the rule of a name; nil if there is none.
    init?(_ name: String, isOn: Bool) {
        let words = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = words.last, last == "counts" || last == "previews",
            let selector = Selector(Array(words.dropLast()))
        else { return nil }
        (self.selector, isAboutCounts, self.isOn) = (selector, last == "counts", isOn)
    }

    func applied(to event: Event) -> Event {
        var event = event
        switch event.payload {
        case var message as MessageReceived:
            guard selects(event, message.content.type) else { return event }
            change(&message.policy)
            event.payload = message
        case var message as MessageSendQueued:
            guard selects(event, message.content.type) else { return event }
            change(&message.policy)
            event.payload = message
        case var message as MessageInsertedLocally:
            // It never counts.
            guard !isAboutCounts, selects(event, message.content.type) else { return event }
            message.updatesLastMessage = isOn
            event.payload = message
        default: break
        }
        return event
    }

    private func selects(_ event: Event, _ type: ContentType) -> Bool {
        switch selector {
        case .all: true
        case .origin(let origin): event.origin == origin
        case .kind(let kind): event.conversation?.kind == kind
        case .type(let selected): type == selected
        }
    }

    private func change(_ policy: inout MessagePolicy) {
        if isAboutCounts { policy.countsUnread = isOn } else { policy.updatesLastMessage = isOn }
    }
}

/// The badge and the unread counts of all conversations, to be compared with the counts by other events.
struct UnreadOverview {
    private let totals: [Fact]
    private var counts: [ConversationKey: Int] = [:]

    init(_ views: borrowing Views) throws {
        totals = try Subject.badge.facts(views)
        var counts: [ConversationKey: Int] = [:]
        try views.forEachUnread { key, basis in counts[key] = basis.count.messages }
        self.counts = counts
    }

    /// Conversations that are listed one by one.
    private static let listed = 20

    /// The numbers that differ there, the greatest differences first.
    func lines(of other: UnreadOverview, _ names: Names) -> [String] {
        var lines = zip(totals, other.totals).filter { $0.0.value != $0.1.value }.map {
            "\($0.0.name): \($0.0.value.words(names)) -> \($0.1.value.words(names))"
        }
        let changed = Set(counts.keys).union(other.counts.keys).map { key in
            (key: names.label(of: key), before: counts[key] ?? 0, after: other.counts[key] ?? 0)
        }
        .filter { $0.before != $0.after }
        .ordered { (abs($1.before - $1.after), $0.key) < (abs($0.before - $0.after), $1.key) }
        lines += changed.prefix(Self.listed).map {
            "unread in \($0.key): \(NumberFormat.count($0.before)) -> \(NumberFormat.count($0.after))"
        }
        if changed.count > Self.listed {
            lines.append(
                "and " + NumberFormat.count(changed.count - Self.listed, "more conversation", "more conversations"))
        }
        return lines.isEmpty ? ["The badge and all unread counts are the same."] : lines
    }
}
