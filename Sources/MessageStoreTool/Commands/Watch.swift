internal import ArgumentParser

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show every commit at which a condition on the views becomes true or false.",
        discussion: """
            Evaluates the condition after each commit, which is what a user could see, in one pass over the log. Each \
            change is shown with its position, its time, the values of the condition's terms and the events of its commit.

            \(Condition.guide)

            Examples:
              messagestore watch STORE 'badge >= 7'
              messagestore watch STORE 'unread(team) > shown(team)' --first
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "The condition, such as 'badge >= 7'.")
    var condition: String

    @OptionGroup var range: RangeArguments

    @OptionGroup var whatIf: WhatIfArguments

    @Flag(help: "Evaluate after each event, not only after each commit.")
    var eachEvent = false

    @Flag(help: "Show only the first change.")
    var first = false

    @Flag(help: "Show only the last change.")
    var last = false

    @Option(help: "The maximum number of events to show of a commit.")
    var events = 5

    @Flag(help: "Show message text; without it only sizes are shown.")
    var text = false

    func validate() throws {
        if first, last { throw ValidationError("give --first or --last, not both") }
        guard events >= 0 else { throw ValidationError("--events takes 0 or more") }
    }

    func run() throws {
        try whatIf.withStore(arguments.openReadOnly()) { store in
            let (first, last) = try range.positions(in: store)
            let condition = try Condition(condition, in: store, through: last)
            let stops = Stops(store: store, isEachEvent: eachEvent)
            let session = try store.replaySession(about: nil, of: condition.projections)
            let scan = FlipScan(session: session, condition: condition, stops: stops)
            var count = 0
            var latest: Flip?
            let (before, after) = try withProgress("watching") { progress in
                try scan.forEachFlip(from: first, through: last, progress: progress) { flip in
                    count += 1
                    latest = flip
                    if !self.last { try print(flip, of: condition, stops) }
                    return !self.first
                }
            }
            if self.last, let latest { try print(latest, of: condition, stops) }
            guard !self.first || count == 0 else { return }
            let flips = NumberFormat.count(count, "change", "changes")
            writeToStandardError(
                "messagestore: \(flips) from \(first) to \(last): \(before) before, \(after) at the end\n")
        }
    }

    /// Prints a flip with the events of its commit.
    private func print(_ flip: Flip, of condition: Condition, _ stops: Stops) throws {
        let store = stops.store
        let before = try stops.last(upTo: Position(flip.position.rawValue - 1))
        let count = Int(clamping: flip.position.rawValue - before.rawValue)
        let shown = try store.events(from: Position(before.rawValue + 1), to: flip.position, limit: events)
        let time = try store.event(at: flip.position)?.clockTime ?? .unknown
        let names = Names(store)
        let printer = EventPrinter(format: .text, fields: nil, hasContent: text, names: names)
        let hosts = HostEvents(try store.eventDescriptions())
        let causes = try condition.markers(flip.values, in: store, at: flip.position).map {
            $0.markerWords(arguments.json ? nil : names)
        }
        let values = zip(condition.terms, flip.values)
        if arguments.json {
            return try JSON.print(
                [
                    "position": flip.position, "recordedTime": time, "isTrue": flip.isTrue,
                    "values": values.map { ["term": $0, "value": $1] as JSONObject }, "causes": causes,
                    "events": shown.map { printer.object($0, hosts) }, "eventCount": count,
                ] as JSONObject, omitsContent: !text)
        }
        let words = values.map { "\($0)=\($1.words(hasContent: text))" }
        let parts = ["\(flip.position)", time.description, flip.isTrue ? "true" : "false"]
        Swift.print((parts + words).joined(separator: "  ").terminalSafe)
        for cause in causes { Swift.print("    by \(cause)".terminalSafe) }
        for line in shown.flatMap({ printer.lines($0, hosts, indent: 4) }) { Swift.print(line) }
        if count > shown.count {
            let rest = NumberFormat.count(count - shown.count)
            Swift.print("    \(rest) more of this commit; --events shows them, --each-event stops after each")
        }
    }
}
