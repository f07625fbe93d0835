internal import ArgumentParser
internal import MessageStore

struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show events of the log, in order.",
        discussion: "Positions begin at 1; negative ones count from the end: --from -100 shows the last hundred.")

    @OptionGroup var arguments: StoreArguments

    @Option(parsing: .unconditional, help: "The first position.")
    var from: Int64 = 1

    @Option(parsing: .unconditional, help: "The last position; the log's last by default.")
    var to: Int64 = -1

    @Option(help: "Only events of this type, such as MessageReceived or a host's com.example.message-starred.")
    var type: String?

    @Option(help: "Only events of this conversation: its id, or kind:id.")
    var conversation: String?

    @Option(name: .customShort("n"), help: "Only the last N of them.")
    var last: Int?

    @Flag(help: "Show what messages say; without it only sizes are shown.")
    var text = false

    @OptionGroup var damage: DamageArguments

    func validate() throws {
        if let last, last < 1 { throw ValidationError("-n takes a number above 0") }
        guard from != 0, to != 0 else { throw ValidationError("positions begin at 1") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        let hosts = HostEvents(try store.eventDescriptions())
        var filter = EventFilter()
        if let type {
            guard let found = EventType(name: type) ?? hosts.type(named: type) else {
                throw ToolError.usage("there is no event type \(type)")
            }
            filter.types = [found]
        }
        if let conversation { filter.conversation = try store.read { try findConversation(conversation, $0) } }
        let end = Int64(clamping: try store.lastPosition().rawValue)
        let first = position(from, end: end)
        let final = position(to, end: end)
        guard first <= final, final > .origin else { return }
        let skipped = damage.skipped
        if let last {
            var events: [RecordedEvent] = []
            try store.forEachEvent(
                from: first, to: final, order: .descending, where: filter, onDamage: skipped?.note
            ) { event in
                events.append(event)
                return events.count < last
            }
            for event in events.reversed() { try show(event, hosts) }
        } else {
            try store.forEachEvent(from: first, to: final, where: filter, onDamage: skipped?.note) { event in
                try show(event, hosts)
                return true
            }
        }
        try skipped?.finish()
    }

    /// A position, counted from the end where it is negative; -1 is the last.
    private func position(_ number: Int64, end: Int64) -> Position {
        let absolute = number < 0 ? end &+ number &+ 1 : number
        return Position(UInt64(clamping: absolute))
    }

    private func show(_ event: RecordedEvent, _ hosts: HostEvents) throws {
        if arguments.json { return try JSON.print(event, omitsContent: !text) }
        let parts =
            [
                String(event.position.rawValue), ConversationOutput.time(event.recordedTime.milliseconds),
                hosts.name(of: event.event.type) ?? event.event.payload.typeName, event.event.conversation?.id ?? "-",
            ] + hosts.fieldTexts(of: event.event).compactMap(describe)
        print(parts.map(\.terminalSafe).joined(separator: "  "))
    }

    /// A field as its name and value, or the size of words that are not to be shown.
    private func describe(_ field: FieldText) -> String? {
        guard let value = field.text else { return nil }
        // Bytes are shown by their number anyway.
        let isHidden = field.isContent && !text && field.type.kind != .bytes
        return "\(field.name)=" + (isHidden ? "(\(value.utf8.count) bytes)" : value)
    }
}
