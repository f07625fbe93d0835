internal import ArgumentParser

/// The arguments of commands that go through events: which ones.
struct EventArguments: ParsableArguments {
    @Option(help: "Only events recorded at this TIME or later.", transform: time)
    var since: Timestamp?

    @Option(help: "Only events recorded at this TIME or before.", transform: time)
    var until: Timestamp?

    @Option(
        help: """
            Only events of this type, such as MessageReceived or a host's com.example.message-starred; --types lists \
            them; may be given more than once.
            """)
    var type: [String] = []

    @Option(help: "Only events of this conversation: its id, kind:id, or a name that no other has.")
    var conversation: String?

    @Option(help: "Only events that name this message.")
    var message: String?

    @Option(
        help: "Only events of this origin: local, live, offline, history or otherDevice; may be given more than once.")
    var origin: [String] = []

    @Option(help: "Only events that hold this text in any field, in whatever case; contents are searched, too.")
    var grep: String?

    @Option(help: "Only events that name this user in any field: an id, or a name that no other has.")
    var user: String?

    @Option(
        name: .customLong("where"),
        help: .init(
            """
            Only events for which this holds: a field compared by == != < <= > >= with another field or a value, as in \
            'upTo > recordedTime + 1h', 'device == laptop', 'upTo.ms == 0', 'device == none'; may be given more than \
            once, and all must hold. A place such as upTo is compared by its time; upTo.id \
            is its message, TIME.ms the milliseconds within the second, TIME.day the UTC date.
            """, valueName: "comparison"))
    var comparisons: [String] = []

    static func time(_ argument: String) throws -> Timestamp {
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
        let key = try conversation.map { try findConversation($0, in: store) }
        var names = try message.map { try MessageNames($0, in: store, conversation: key) }
        try names?.addMarkers(in: store)
        var selection = try EventSelection(types: type, conversation: key, names: names, text: grep, in: store)
        selection.search.origins = Set(origin.compactMap(Self.origin))
        selection.search.user = try user.map { try findUser($0, in: store) }
        let fields = comparisons.isEmpty ? [] : try EventColumns.names(in: store)
        selection.search.comparisons = try comparisons.map { try EventComparison($0, fields: fields) }
        let (first, last) = (since ?? .unknown, until ?? .latest)
        guard first <= last else { return nil }
        if since != nil || until != nil { selection.filter.recordedTime = first...last }
        return (selection.filter, selection.search)
    }

    private static func origin(_ name: String) -> Origin? { Origin.names.first { $0.value == name }?.key }
}
