internal import ArgumentParser
internal import MessageStore

/// What commands take that go through events: which ones.
struct EventArguments: ParsableArguments {
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

    private static func time(_ argument: String) throws -> Timestamp {
        guard let time = Timestamp(iso8601: argument) else {
            throw ValidationError("\(argument) is no time; write it as 2026-11-20 or 2026-11-20T18:00:00Z")
        }
        return time
    }

    func validate() throws {
        if let name = origin.first(where: { Self.origin($0) == nil }) {
            throw ValidationError("there is no origin \(name)")
        }
    }

    /// The events to show; nil where there can be none.
    func selection(_ store: MessageStore) throws -> (EventFilter, EventSearch)? {
        var (filter, search) = (EventFilter(), EventSearch())
        if let type {
            let hosts = HostEvents(try store.eventDescriptions())
            guard let found = EventType(name: type) ?? hosts.type(named: type) else {
                throw ToolError.usage("there is no event type \(type)")
            }
            filter.types = [found]
        }
        if let conversation { filter.conversation = try store.read { try findConversation(conversation, $0) } }
        if let message {
            let names = try MessageNames(message, in: store, conversation: filter.conversation)
            (search.message, filter.conversation) = (names, names.conversation)
        }
        search.origins = Set(origin.compactMap(Self.origin))
        search.text = grep
        let (first, last) = (since ?? .unknown, until ?? .latest)
        guard first <= last else { return nil }
        if since != nil || until != nil { filter.recordedTime = first...last }
        return (filter, search)
    }

    private static func origin(_ name: String) -> Origin? { Origin.names.first { $0.value == name }?.key }
}
