internal import MessageStore

/// An explanation as JSON: `why --json`.
struct ExplanationOutput: Encodable {
    struct Step: Encodable {
        struct Change: Encodable {
            let name: String
            let before: Fact.Value?
            let after: Fact.Value?
        }

        let event: RecordedEvent
        let changes: [Change]
        let cause: String?
    }

    struct WithoutEffect: Encodable {
        private enum Key: String, CodingKey { case reason }

        let event: RecordedEvent
        let reason: String

        func encode(to encoder: any Encoder) throws {
            try event.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(reason, forKey: .reason)
        }
    }

    let position: Position
    let notes: [String]
    let facts: [Fact]
    let rule: [String]
    let steps: [Step]
    let isComplete: Bool
    let withoutEffect: [WithoutEffect]
    let lookalikes: [RecordedEvent]

    init(_ explanation: Explanation) {
        position = explanation.position
        notes = explanation.notes
        facts = explanation.facts
        rule = explanation.rule
        steps = explanation.steps.map { step in
            Step(
                event: step.event,
                changes: step.changes.map { Step.Change(name: $0.name, before: $0.before, after: $0.after) },
                cause: step.cause)
        }
        isComplete = explanation.isComplete
        withoutEffect = explanation.withoutEffect.map { WithoutEffect(event: $0.event, reason: $0.reason) }
        lookalikes = explanation.lookalikes
    }
}

extension Explanation {
    /// The explanation for people, line by line.
    ///
    /// - Parameters:
    ///   - hosts: What the log says of hosts' events.
    ///   - hasContent: Whether to show words of people.
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
            "  \(fact.name)\(String(repeating: " ", count: width - fact.name.count))  \(fact.value.words)"
        }
        lines += ["", "Rule:"] + rule.map { "  \($0)" }
        let known =
            isComplete
            ? "All events that changed it"
            : steps.count == 1 ? "The last event that changed it" : "The last \(steps.count) events that changed it"
        lines += ["", steps.isEmpty ? "No event changed it." : "\(known):"]
        for step in steps {
            lines.append("  \(line(step.event))")
            lines += step.changes.map { change in
                "      \(change.name): \((change.before ?? .absent).words) -> \((change.after ?? .absent).words)"
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
