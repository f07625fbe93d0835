internal import ArgumentParser

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for what is suspicious in a log: repeats, wrong times, events without effect, and more.",
        discussion: """
            Nothing of it need be wrong: each line says where to look, and with which command; what is likelier harmless \
            comes last. Repeats are looked for among the last \(NumberFormat.count(ReceivedMessages.contents)) messages at \
            least, messages in two conversations among the last \(NumberFormat.count(ReceivedMessages.names)). Damage is \
            what `check` and `verify` look for.
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(name: .customShort("n"), help: "The maximum number of places to show of each kind.")
    var limit = 5

    @Flag(
        help: """
            Do not look for events without effect, nor for those that undid newer ones; for both the log is replayed event \
            by event.
            """)
    var quick = false

    @Flag(help: "Show the events that changed nothing as well, most of which are harmless.")
    var withoutEffect = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("-n takes a number above 0") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        let examination = try withProgress("examining") {
            try Examination(store, limit: limit, skipsEffects: quick, progress: $0)
        }
        let names = Names(store)
        let findings = examination.findings.filter { withoutEffect || $0.symptom != .noEffect }
        for (symptom, findings, trail) in findings {
            let command = findings.first.first.map { symptom.command(arguments.store, $0) } ?? ""
            guard arguments.json else {
                let lines =
                    ["\(symptom.words): \(NumberFormat.count(findings.count))"] + findings.lines(names)
                    + (trail?.lines(findings.count, names) ?? []).map { "    \($0)" } + ["    look closer: \(command)"]
                print(lines.map(\.terminalSafe).joined(separator: "\n"))
                continue
            }
            try JSON.print(
                [
                    "symptom": symptom, "meaning": symptom.words, "count": findings.count,
                    "first": findings.first.map(\.object),
                    "trail": trail, "command": command,
                ] as JSONObject)
        }
        guard findings.isEmpty, !arguments.json else { return }
        let examined = Symptom.allCases.filter { ($0.isQuick || !quick) && ($0 != .noEffect || withoutEffect) }.map(
            \.title)
        print("Nothing suspicious.\nLooked for: \(examined.joined(separator: ", ")).")
    }
}
