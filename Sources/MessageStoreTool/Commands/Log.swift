internal import ArgumentParser

struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show events of the log, in order, with every field.",
        discussion: """
            Positions begin at 1; negative ones count from the end: --from -100 shows the last hundred. A TIME is such as \
            2026-11-20 or 2026-11-20T18:00:00Z, by the clock of the device that recorded; without an offset it is UTC.

            --message shows the events that name a message: its arrival, receipts, changes, deletion, \
            replies, and the first marker of each member that covers it. An ID is \
            as `messages` lists it, or the server's; where a number could be either, write local:ID or server:ID.

            --fields takes the names of JSON: those of an event, such as position, recordedTime, origin, type, \
            conversation, and those of its payload. With --format json the object has these alone. Hosts' events are \
            described by the log itself; in JSON the description's fields stand under `described`. Times are texts in text \
            and tsv, and numbers of milliseconds since 1970 in JSON.

            --tally counts the chosen events by the values of fields, with the first and the last position of each: \
            --tally device, --tally type,origin, --tally recordedTime.day, --tally 'device,upTo.ms == 0'. --types counts them by \
            type and lists the fields of each.
            """)

    @OptionGroup var arguments: StoreArguments

    @OptionGroup var range: RangeArguments

    @OptionGroup var chosen: EventArguments

    @Option(name: .customShort("n"), help: "Only the last N of them.")
    var last: Int?

    @Flag(help: "Wait for further events at the end, until the command is interrupted.")
    var follow = false

    @Flag(help: "Show what messages say; without it only sizes are shown.")
    var text = false

    @Option(help: "Show only these fields, with commas between them.")
    var fields: String?

    @Option(help: "How events are printed; --json is --format json.")
    var format: EventFormat?

    @Option(help: "Count the events by these fields or comparisons, with commas between them.")
    var tally: String?

    @Flag(help: "Count the events by type, and list every type's fields.")
    var types = false

    @OptionGroup var damage: DamageArguments

    func validate() throws {
        if tally != nil || types, last != nil || follow || fields != nil || (tally != nil && types) {
            throw ValidationError(
                "--tally and --types count all chosen events: give no -n, --follow, --fields, and one of them")
        }
        if let last, last < 1 { throw ValidationError("-n takes a number above 0") }
        guard range.from != .position(0), range.to != .position(0) else {
            throw ValidationError("positions begin at 1")
        }
        if follow, range.to != nil || chosen.until != nil {
            throw ValidationError("--follow has no end: give no --to, no --until")
        }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        guard let (filter, search) = try chosen.selection(store) else { return }
        let printer = EventPrinter(
            format: format ?? (arguments.json ? .json : .text), fields: try chosenFields(store), hasContent: text,
            names: Names(store))
        let skipped = damage.skipped
        var tally = try self.tally.map { try EventTally($0, fields: EventColumns.names(in: store), hasContent: text) }
        if types { tally = try EventTally("type", fields: ["type"], hasContent: false) }
        let end = try store.lastPosition()
        let first = try range.from?.position(in: store, isFirst: true) ?? Position(1)
        let final = try range.to?.position(in: store, isFirst: false) ?? end
        let reports =
            printer.format == .text && fields == nil && tally == nil
            ? try store.sessionOfChoices().reports(upTo: min(final, store.lastDurablePosition())) : [:]
        let reader = EventReader(store: store, filter: filter, search: search, onDamage: skipped?.note) {
            event, hosts in
            if tally != nil { return tally?.add(event, hosts) ?? () }
            try printer.print(event, hosts)
            guard let loss = event.loss(in: reports[event.position]) else { return }
            print("    lost: \(event.words(loss))".terminalSafe)
        }
        try reader.read(from: first, to: final, last: last)
        if let tally {
            let isJSON = arguments.json || format == .json
            if types { try tally.printTypes(of: store, isJSON: isJSON) } else { try tally.print(isJSON: isJSON) }
        }
        if follow { try reader.follow(after: max(end, Position(max(first.rawValue, 1) - 1))) }
        try skipped?.finish()
    }
}

extension Log {
    /// The names of `--fields`, each of which some event must have.
    private func chosenFields(_ store: MessageStore) throws -> [String]? {
        guard let fields else { return nil }
        let names = fields.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        let hosts = HostEvents(try store.eventDescriptions())
        let all = try EventColumns.names(in: store)
        guard let name = names.first(where: { !all.contains($0) }) else { return names }
        if chosen.type.count == 1, let type = chosen.type.first, let fields = hosts.fieldNames(ofType: type) {
            throw ToolError.usage("no event has a field \(name); \(type) has \(fields.joined(separator: ", "))")
        }
        let remedy = name.remedy(among: EventColumns.envelope + all.subtracting(EventColumns.envelope).ordered())
        throw ToolError.usage("no event has a field \(name)\(remedy) (`log STORE --types` lists them)")
    }
}
