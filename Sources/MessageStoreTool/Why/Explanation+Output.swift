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
            "isComplete": isComplete, "base": base,
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
        if base > .origin {
            lines.append("  (Records before event \(base) were cut off; what they changed is not shown.)")
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
