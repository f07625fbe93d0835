internal import ArgumentParser

struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replay the log up to a position and show the projections' digests there.",
        discussion: """
            With --without, --edit or --set, the log is replayed a second time as if some events had not been recorded, or others \
            in their place. What differs from what was recorded is shown: how many rows of each table, the badge and the \
            unread counts, then the rows; with --json the rows alone. Without --all, rows of the store's bookkeeping are left \
            out. The store is not changed.
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(parsing: .unconditional, help: "The last event: \(Moment.help).")
    var to = Moment.position(-1)

    @OptionGroup var whatIf: WhatIfArguments

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

    @OptionGroup var projections: ProjectionArguments

    @Option(help: "The maximum number of rows to show that differ.")
    var limit = 200

    @Flag(help: "Show rows and values of the store's bookkeeping as well.")
    var all = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        let position = try to.position(in: store)
        let chosen = try projections.chosen()
        guard let replacement = try whatIf.replacement(in: store, rules: rules) else {
            let digests = try withProgress("replaying") { try store.digests(at: position, progress: $0) }
            let wanted = digests.filter { chosen?.contains($0.key) ?? true }
            return try printDigests(wanted, at: position, json: arguments.json)
        }
        let recorded = try store.replaySession()
        let other = try replacement.session(store)
        let differences = try withProgress("replaying") {
            try other.countedDifferences(
                from: recorded, at: position, of: chosen, limit: limit,
                where: all ? nil : { !$0.isBookkeeping }, progress: $0)
        }
        guard !arguments.json else {
            for difference in differences.rows {
                try JSON.print(difference.object(first: "recorded", second: "replayed"))
            }
            return
        }
        let count = differences.count
        print("At \(position): \(NumberFormat.count(count, "row differs", "rows differ")) from what was recorded.")
        guard count > 0 else { return }
        for line in differences.tableLines { print("  \(line.terminalSafe)") }
        let unread = try (
            recorded.read(at: position, UnreadOverview.init), other.read(at: position, UnreadOverview.init)
        )
        for line in unread.0.lines(of: unread.1, Names(store)) { print(line.terminalSafe) }
        print("")
        differences.rows.printGrouped(of: count, Names(store), all: all)
    }
}

/// Digests by the names of their projections.
func named(_ digests: [ProjectionID: UInt64]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: digests.map { ($0.key.rawValue, $0.value.hexadecimal()) })
}

/// Shows the digest of each projection.
func printDigests(_ digests: [ProjectionID: UInt64], at position: Position, json: Bool) throws {
    if json { return try JSON.print(["position": position, "digests": named(digests)] as JSONObject) }
    var table = TextTable(columns: ["PROJECTION", .init(header: "DIGEST AT \(position)")])
    for (projection, digest) in digests.ordered(by: { $0.key.rawValue < $1.key.rawValue }) {
        table.append([projection.rawValue, digest.hexadecimal()])
    }
    table.print()
}

struct Rebuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rebuild views from the log; the old ones are served until the new ones are complete.",
        discussion:
            "On a terminal a line shows how far it has come and the time left. Ctrl-C ends it; the old rows stay.")

    @OptionGroup var arguments: StoreArguments

    @OptionGroup var projections: ProjectionArguments

    @Flag(help: "Go on without events that the views were made from and the log has lost.")
    var acceptOlderLog = false

    func run() throws {
        let chosen = try projections.chosen()
        var configuration = MessageStoreCommand.configuration
        configuration.durability.allowsRollback = acceptOlderLog
        let store = try MessageStoreCommand.$configuration.withValue(configuration) { try arguments.openForWriting() }
        try withProgress("rebuilding") { try store.rebuild(chosen, progress: $0) }
        try printDigests(try store.digests(), at: try store.lastPosition(), json: arguments.json)
        try store.close()
    }
}
