internal import ArgumentParser
internal import MessageStore

/// Events that were not recorded as they are to be replayed.
struct WhatIfArguments: ParsableArguments {
    @Option(
        help: """
            Leave events out: positions, ranges such as 3-7, and types, with commas between them; may be given more than \
            once. What the store decided because of an event, such as the verdict on a repeat, is an event of its own.
            """)
    var without: [String] = []

    @Option(
        name: .customLong("set"),
        help: .init(
            """
            Change a rule; may be given more than once. Which messages count as unread, and which may be previews: \
            origin.ORIGIN.counts, kind.KIND.counts, type.TYPE.counts, all.counts, and the same with previews in the \
            place of counts; yes or no. What is done with what others said: unread-reports.apply, filter.apply, \
            repeats.apply; no.
            """, valueName: "rule=value"))
    var rules: [String] = []

    var isEmpty: Bool { without.isEmpty && rules.isEmpty }

    /// What stands in the place of each event; nil where nothing is asked for.
    func replacement(in store: MessageStore) throws -> EventReplacement? {
        guard !isEmpty else { return nil }
        var replacement = EventReplacement()
        let hosts = HostEvents(try store.eventDescriptions())
        for item in without.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            try replacement.leaveOut(String(item), hosts)
        }
        for rule in rules { try replacement.set(rule) }
        return replacement
    }
}

/// Which events are left out, and which are others.
struct EventReplacement: Sendable {
    private var positions: [ClosedRange<UInt64>] = []
    private var types: Set<EventType> = []
    private var policies: [PolicyRule] = []

    /// - Throws: ``ToolError`` where the item is neither positions nor a type.
    mutating func leaveOut(_ item: String, _ hosts: HostEvents) throws {
        let bounds = item.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { UInt64($0) }
        if let first = bounds[0] {
            guard let last = bounds.count == 1 ? first : bounds[1], first > 0, first <= last else {
                throw ToolError.usage("--without \(item): write a position such as 7, or a range such as 3-7")
            }
            positions.append(first...last)
        } else if let type = EventType(name: item) ?? hosts.type(named: item) {
            types.insert(type)
        } else {
            throw ToolError.usage("--without \(item): that is neither a position nor a type of events")
        }
    }

    /// - Throws: ``ToolError`` where there is no such rule or value.
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

    /// A replay of a log with these events in the place of those that were recorded.
    func session(_ store: MessageStore) throws -> ReplaySession {
        try store.replaySession(
            where: { type, position in
                types.contains(type) || positions.contains { $0.contains(position.rawValue) }
                    || (!policies.isEmpty && MessageNames.messages.contains(type))
            },
            transform: { recorded in
                guard !types.contains(recorded.event.type),
                    !positions.contains(where: { $0.contains(recorded.position.rawValue) })
                else { return [] }
                return [policies.reduce(recorded.event) { $1.applied(to: $0) }]
            })
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

    /// nil where there is no rule of the name.
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
