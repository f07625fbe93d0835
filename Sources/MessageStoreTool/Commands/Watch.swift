internal import ArgumentParser
internal import MessageStore

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show every commit at which a condition on the views becomes true or false.",
        discussion: """
            Looks at the views after each commit, which is what a user could see, in one pass over the log. Each flip is \
            shown with its position, its time, the values of the condition's terms and the events of its commit.

            \(Condition.guide)

            With `-- COMMAND` the command judges: it finds the store in $MESSAGESTORE_STORE and the position in \
            $MESSAGESTORE_POSITION, and ends with 0 for false, 1 to 124, 126 or 127 for true, or 125 where it cannot \
            tell. 128 and above, and signals, end the search. It is run for few positions, by a binary search, which \
            finds the flip where there is one; where the verdict comes and goes it finds any of them. Its output goes to \
            standard error.

            Examples:
              messagestore watch STORE 'badge >= 7'
              messagestore watch STORE 'unread(team) > shown(team)' --first
              messagestore watch STORE -- sh -c 'messagestore unread "$MESSAGESTORE_STORE" --at "$MESSAGESTORE_POSITION" --json | jq -e ".badge < 7"'
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "The condition, such as 'badge >= 7'.")
    var condition: String?

    @Argument(parsing: .postTerminator, help: "A command that judges, in place of a condition.")
    var command: [String] = []

    @Option(parsing: .unconditional, help: "The first event: \(Moment.help).")
    var from: Moment?

    @Option(parsing: .unconditional, help: "The last event: \(Moment.help).")
    var to: Moment?

    @OptionGroup var whatIf: WhatIfArguments

    @Flag(help: "Look after each event, not only after each commit.")
    var eachEvent = false

    @Flag(help: "Show the first flip alone.")
    var first = false

    @Flag(help: "Show the last flip alone.")
    var last = false

    @Option(help: "The maximum number of events to show of a commit.")
    var events = 5

    @Flag(help: "Show what messages say; without it only sizes are shown.")
    var text = false

    func validate() throws {
        guard (condition == nil) != command.isEmpty else {
            throw ValidationError("give a condition, or a command after `--`")
        }
        if first || last, !command.isEmpty {
            throw ValidationError("a command finds one flip: give no --first, no --last")
        }
        if first, last { throw ValidationError("give --first or --last, not both") }
        guard events >= 0 else { throw ValidationError("--events takes 0 or more") }
    }

    func run() throws {
        let recorded = try arguments.openReadOnly()
        let copy = try whatIf.copy(of: recorded)
        defer { copy?.remove() }
        let store = copy?.store ?? recorded
        let first = try from?.firstPosition(in: store) ?? Position(1)
        let last = try to?.position(in: store) ?? store.lastPosition()
        guard first.rawValue <= last.rawValue + 1 else { throw ToolError.usage("\(first) comes after \(last)") }
        let stops = Stops(store: store, isEachEvent: eachEvent)
        if let condition {
            try scan(Condition(condition, in: store, through: last), stops, from: first, through: last)
        } else {
            try search(stops, from: first, through: last)
        }
    }

    private func printer(_ stops: Stops, _ condition: Condition?) throws -> FlipPrinter {
        FlipPrinter(
            store: stops.store, hosts: HostEvents(try stops.store.eventDescriptions()), stops: stops,
            condition: condition,
            limit: events, hasContent: text, isJSON: arguments.json)
    }

    private func scan(_ condition: Condition, _ stops: Stops, from first: Position, through last: Position) throws {
        let printer = try printer(stops, condition)
        let progress = ReplayProgressLine("watching")
        let session = try stops.store.replaySession(about: nil, of: condition.projections)
        let scan = FlipScan(session: session, condition: condition, stops: stops)
        var count = 0
        var latest: Flip?
        let (before, after) = try scan.forEachFlip(from: first, through: last, progress: progress.update) { flip in
            count += 1
            latest = flip
            if !self.last { try printer.print(flip) }
            return !self.first
        }
        progress.finish()
        if self.last, let latest { try printer.print(latest) }
        guard !self.first || count == 0 else { return }
        let flips = NumberFormat.count(count, "flip", "flips")
        writeToStandardError("messagestore: \(flips) from \(first) to \(last): \(before) before, \(after) at the end\n")
    }

    private func search(_ stops: Stops, from first: Position, through last: Position) throws {
        let (start, end) = (try stops.last(upTo: Position(first.rawValue - 1)), try stops.last(upTo: last))
        writeToStandardError(
            "messagestore: searching from \(start) to \(end), as if the command's verdict flipped once between them\n")
        let search = CommandSearch(judge: CommandJudge(command: command, store: stops.store.path), stops: stops) {
            writeToStandardError("messagestore: position \($0): \($1.word)\n")
        }
        let (flip, before) = try search.flip(after: start, upTo: end)
        try printer(stops, nil).print(flip)
        let neighbour = try stops.last(upTo: Position(flip.position.rawValue - 1))
        guard before < neighbour else { return }
        writeToStandardError(
            "messagestore: what was skipped hides where it flipped: after \(before), at \(flip.position) or before it\n"
        )
    }
}

extension CommandJudge.Verdict {
    fileprivate var word: String {
        switch self {
        case .isFalse: "false"
        case .isTrue: "true"
        case .skip: "skipped"
        }
    }
}
