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

    @Option(help: "Only events of this type, such as MessageReceived.")
    var type: String?

    @Option(help: "Only events of this conversation: its id, or kind:id.")
    var conversation: String?

    @Option(name: .customShort("n"), help: "Only the last N of them.")
    var last: Int?

    @Flag(help: "Show what messages say; without it only sizes are shown.")
    var text = false

    func validate() throws {
        if let type, EventType(name: type) == nil { throw ValidationError("there is no event type \(type)") }
        if let last, last < 1 { throw ValidationError("-n takes a number above 0") }
        guard from != 0, to != 0 else { throw ValidationError("positions begin at 1") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        var filter = EventFilter(types: type.flatMap { EventType(name: $0) }.map { [$0] })
        if let conversation { filter.conversation = try store.read { try findConversation(conversation, $0) } }
        let end = Int64(clamping: try store.lastPosition().rawValue)
        let first = position(from, end: end)
        let final = position(to, end: end)
        guard first <= final, final > .origin else { return }
        if let last {
            let events = try store.events(from: first, to: final, order: .descending, where: filter, limit: last)
            for event in events.reversed() { try show(event) }
        } else {
            try store.forEachEvent(from: first, to: final, where: filter) { event in
                try show(event)
                return true
            }
        }
    }

    /// A position, counted from the end where it is negative; -1 is the last.
    private func position(_ number: Int64, end: Int64) -> Position {
        let absolute = number < 0 ? end &+ number &+ 1 : number
        return Position(UInt64(clamping: absolute))
    }

    private func show(_ event: RecordedEvent) throws {
        let output = EventOutput(event, showsText: text)
        if arguments.json { return try JSON.print(output) }
        let time = ConversationOutput.time(event.recordedTime.milliseconds)
        let parts = [
            String(output.position), time, output.type, output.conversation ?? "-", output.actor ?? "",
            output.detail ?? "",
        ]
        print(parts.map(\.terminalSafe).filter { !$0.isEmpty }.joined(separator: "  "))
    }
}

/// An event of the log, as JSON and as a line.
struct EventOutput: Encodable {
    let position: UInt64
    let commit: UInt64
    let recordedTime: Int64
    let serverTime: Int64?
    let type: String
    let origin: String
    let conversation: String?
    let kind: String?
    let actor: String?
    let serverID: String?
    let eventID: String?
    let bytes: Int
    let redacted: Bool
    let detail: String?

    init(_ event: RecordedEvent, showsText: Bool) {
        position = event.position.rawValue
        commit = event.commit.rawValue
        recordedTime = event.recordedTime.milliseconds
        serverTime = event.event.serverTime?.milliseconds
        type = event.event.body.type.description
        origin = event.event.origin.description
        conversation = event.event.conversation?.id
        kind = event.event.conversation?.kind.description
        eventID = event.event.id?.rawValue
        bytes = event.byteCount
        redacted = event.isRedacted
        let summary = EventSummary(event.event.body, showsText: showsText)
        actor = summary.actor
        serverID = summary.serverID
        detail = summary.detail
    }
}

/// The parts of an event's body that a line of the log shows.
struct EventSummary {
    var actor: String?
    var serverID: String?
    var detail: String?

    init(_ body: EventBody, showsText: Bool) {
        func describe(_ content: MessageContent) -> String {
            guard showsText, let text = content.text else {
                return "\(content.type), \((content.text?.utf8.count ?? 0) + content.data.count) bytes"
            }
            return text
        }
        switch body {
        case .messageReceived(let event):
            (actor, serverID, detail) = (event.sender.rawValue, event.serverID.rawValue, describe(event.content))
        case .messageSendQueued(let event): detail = describe(event.content)
        case .messageSent(let event): (serverID, detail) = (event.serverID.rawValue, "message \(event.message)")
        case .messageSendFailed(let event): detail = "message \(event.message), code \(event.code)"
        case .messageSendRetried(let event): detail = "message \(event.message)"
        case .membersAdded(let event):
            actor = event.actor?.rawValue
            detail = "\(event.kind) \(event.members.map(\.rawValue).joined(separator: " "))"
        case .membersRemoved(let event):
            actor = event.actor?.rawValue
            detail = "\(event.kind) \(event.members.map(\.rawValue).joined(separator: " "))"
        case .conversationCreated(let event): detail = event.fields.name
        case .conversationUpdated(let event): (actor, detail) = (event.actor?.rawValue, event.fields.name)
        case .profilesFetched(let event): detail = "\(event.profiles.count) profiles"
        case .offlinePackageReceived(let event):
            detail = "package \(event.index), \(event.messageCount) messages" + (event.hasMore ? ", more follow" : "")
        default: break
        }
    }
}
