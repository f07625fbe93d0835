internal import ArgumentParser

struct Suspects: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find the events without which a value would be another, the oddest first.",
        discussion: """
            Replays the log without each event that changed the value or that `doctor` names, and shows those without which \
            the value is another, or the expected one. They are ranked by what is odd about them among the events of this log, which is said \
            with its number: kind, clock, place, policy, count, moment, and what `doctor` finds. Without --expected at most \
            \(SuspectSearch.mostReplays) replays are made, the oddest events first. Ordinary events are left out by groups: \
            a group without which the value is the same is not looked at further.

            A VALUE is a term of a condition, such as badge, 'unread(team)', 'status(team, m17)', 'name(bob)' or \
            'muted(team)'; `messagestore watch --help` lists them.

            Examples:
              messagestore suspects STORE 'unread(team)' --expected 3
              messagestore suspects STORE 'name(bob)' --expected Robert --since 2026-11-20
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "The value, such as 'unread(team)'.")
    var value: String

    @Option(help: "The value that would be right; none for a missing one.")
    var expected: String?

    @Option(help: "Only events recorded at this TIME or later.", transform: EventArguments.time)
    var since: Timestamp?

    @Option(parsing: .unconditional, help: "The last event to look at: \(Moment.help).")
    var to = Moment.position(-1)

    @Option(name: .customShort("n"), help: "The maximum number of events to show.")
    var limit = 10

    @Flag(help: "Show message text; without it only sizes are shown.")
    var text = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("-n takes a number above 0") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        let last = try to.position(in: store)
        let condition = try Condition(value: value, in: store, through: last)
        let expected = try self.expected.map { try condition.value(from: $0) }
        let names = Names(store)
        let search = try withProgress("examining") {
            try SuspectSearch(
                condition, in: store, through: last, expected: expected, since: since, names, progress: $0)
        }
        let hosts = HostEvents(try store.eventDescriptions())
        guard !arguments.json else {
            for suspect in search.suspects.prefix(limit) {
                try JSON.print(
                    JSONObject(
                        suspect.event,
                        ["value": search.value, "without": suspect.value, "oddities": suspect.oddities.map(\.words)]),
                    omitsContent: !text)
            }
            return
        }
        let (tried, all) = (NumberFormat.count(search.tried), NumberFormat.count(search.candidates, "event", "events"))
        print(
            "\(value) is \(search.value.words(hasContent: text)) at \(last). Left out alone: \(tried) of \(all)."
                .terminalSafe)
        for (number, suspect) in search.suspects.prefix(limit).enumerated() {
            var words = EventColumns(suspect.event, hosts, hasContent: text, names: names).words()
            words[0] = "\(number + 1). \(words[0])"
            for line in words.lines(indent: 0, width: Terminal.standardOutput.lineWidth ?? .max) { print(line) }
            print("    without it: \(suspect.value.words(hasContent: text))".terminalSafe)
            for oddity in suspect.oddities.prefix(4) { print("    \(oddity.words)".terminalSafe) }
        }
        if search.suspects.isEmpty {
            print(expected == nil ? "None of these decides it." : "None of these decides that it is not as expected.")
        } else if search.suspects.count == SuspectSearch.mostSuspects {
            print(
                "The search ended when \(search.suspects.count) were found\(search.suspects.count > limit ? "; -n shows them" : "")."
            )
        } else if search.suspects.count > limit {
            print("and \(NumberFormat.count(search.suspects.count - limit)) more; -n shows them")
        }
    }
}
