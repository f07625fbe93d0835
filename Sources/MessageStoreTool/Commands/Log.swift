internal import ArgumentParser
internal import MessageStore

struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show events of the log, in order, with every field.",
        discussion: """
            Positions begin at 1; negative ones count from the end: --from -100 shows the last hundred. A TIME is such as \
            2026-11-20 or 2026-11-20T18:00:00Z, by the clock of the device that recorded; without an offset it is UTC.

            --message shows the events that name a message: its arrival, receipts, changes, deletion, replies. An ID is \
            as `messages` lists it, or the server's.

            --fields takes the names of JSON: those of an event, such as position, recordedTime, origin, type, \
            conversation, and those of its payload. With --format json the object has these alone. Hosts' events are \
            described by the log itself; in JSON the description's fields stand under `described`.
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(parsing: .unconditional, help: "The first position.")
    var from: Int64 = 1

    @Option(parsing: .unconditional, help: "The last position; the log's last by default.")
    var to: Int64?

    @Option(help: "Only events recorded at this TIME or later.", transform: time)
    var since: Timestamp?

    @Option(help: "Only events recorded at this TIME or before.", transform: time)
    var until: Timestamp?

    @Option(help: "Only events of this type, such as MessageReceived or a host's com.example.message-starred.")
    var type: String?

    @Option(help: "Only events of this conversation: its id, or kind:id.")
    var conversation: String?

    @Option(help: "Only events that name this message.")
    var message: String?

    @Option(
        help: "Only events of this origin: local, live, offline, history or otherDevice; may be given more than once.")
    var origin: [String] = []

    @Option(help: "Only events that hold this text in any field, in whatever case; contents are searched, too.")
    var grep: String?

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

    @OptionGroup var damage: DamageArguments

    private static func time(_ argument: String) throws -> Timestamp {
        guard let time = Timestamp(iso8601: argument) else {
            throw ValidationError("\(argument) is no time; write it as 2026-11-20 or 2026-11-20T18:00:00Z")
        }
        return time
    }

    func validate() throws {
        if let last, last < 1 { throw ValidationError("-n takes a number above 0") }
        guard from != 0, to != 0 else { throw ValidationError("positions begin at 1") }
        if follow, to != nil || until != nil { throw ValidationError("--follow has no end: give no --to, no --until") }
        if let name = origin.first(where: { Self.origin($0) == nil }) {
            throw ValidationError("there is no origin \(name)")
        }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        guard let (filter, search) = try selection(store) else { return }
        let printer = EventPrinter(
            format: format ?? (arguments.json ? .json : .text), fields: try chosenFields(store), hasContent: text)
        let skipped = damage.skipped
        let end = try store.lastPosition()
        let first = position(from, end: end)
        let reader = EventReader(
            store: store, filter: filter, search: search, onDamage: skipped?.note, print: printer.print)
        try reader.read(from: first, to: position(to ?? -1, end: end), last: last)
        if follow { try reader.follow(after: max(end, Position(max(first.rawValue, 1) - 1))) }
        try skipped?.finish()
    }

    /// A position, counted from the end where it is negative; -1 is the last.
    private func position(_ number: Int64, end: Position) -> Position {
        let absolute = number < 0 ? Int64(clamping: end.rawValue) &+ number &+ 1 : number
        return Position(UInt64(clamping: max(absolute, 0)))
    }
}

extension Log {
    /// The events to show; nil where there can be none.
    private func selection(_ store: MessageStore) throws -> (EventFilter, EventSearch)? {
        let key = try conversation.map { text in try store.read { try findConversation(text, $0) } }
        let names = try message.map { try MessageNames($0, in: store, conversation: key) }
        var selection = try EventSelection(type: type, conversation: key, names: names, text: grep, in: store)
        selection.search.origins = Set(origin.compactMap(Self.origin))
        let (first, last) = (since ?? .unknown, until ?? .latest)
        guard first <= last else { return nil }
        if since != nil || until != nil { selection.filter.recordedTime = first...last }
        return (selection.filter, selection.search)
    }

    /// The names of `--fields`, each of which some event must have.
    private func chosenFields(_ store: MessageStore) throws -> [String]? {
        guard let fields else { return nil }
        let names = fields.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        let known = EventType.known.flatMap { $0.type.fields } + (try store.eventDescriptions()).flatMap(\.fields)
        let all = Set(EventColumns.envelope + known.map(\.name))
        if let name = names.first(where: { !all.contains($0) }) {
            throw ToolError.usage("no event has a field \(name)")
        }
        return names
    }

    private static func origin(_ name: String) -> Origin? { Origin.names.first { $0.value == name }?.key }
}
