/// The names that one message has in a log: its id in the store, and the server's ids in its conversation.
///
/// A message that was sent has both, and one that came again under another server id has several.
struct MessageNames {
    private struct ServerName: Hashable {
        let conversation: ConversationKey?
        let id: ServerMessageID
    }

    /// Its ids in the store: its own, and those of repeats and echoes.
    private(set) var locals: Set<LocalMessageID> = []
    private var servers: Set<ServerName> = []
    private var markers: Set<Position> = []

    /// The one conversation of the message; nil if a server's id names messages of several.
    private(set) var conversation: ConversationKey?

    /// Finds the names of a message.
    ///
    /// - Parameters:
    ///   - text: The message, see ``MessageArgument``.
    ///   - store: The store.
    ///   - conversation: The conversation in which to look, if it is known.
    ///   - last: The last event to look at; nil for all.
    /// - Throws: ``ToolError`` where no event is about such a message, or where the text names two; `StoreError` with code
    ///   `positionCut` where the message was cut off.
    init(_ text: String, in store: MessageStore, conversation: ConversationKey?, through last: Position? = nil) throws {
        guard let names = try Self.known(text, in: store, conversation: conversation, through: last) else {
            try Self.checkIsWhole(MessageArgument(text), in: store, conversation)
            throw ToolError.usage("no event is about a message \(text)")
        }
        self = names
    }

    private static func checkIsWhole(
        _ argument: MessageArgument, in store: MessageStore, _ conversation: ConversationKey?
    ) throws {
        let replayStart = try store.replayStart()
        try store.read { views in
            for key in try conversation.map({ [$0] }) ?? views.everyConversation() {
                for reference in argument.references where try views.isCutOff(reference, in: key) {
                    throw StoreError(
                        .positionCut,
                        "the record of message \(argument.text) was cut off; the log can be replayed from position \(replayStart) on"
                    )
                }
            }
        }
    }

    /// The same; nil if no event is about such a message.
    static func known(
        _ text: String, in store: MessageStore, conversation: ConversationKey?, through last: Position? = nil
    ) throws -> MessageNames? {
        let argument = MessageArgument(text)
        var found: MessageNames?
        for reference in argument.references {
            guard let names = try MessageNames(reference, store, conversation, last) else { continue }
            guard found == nil || found?.locals == names.locals else { throw argument.ambiguity }
            found = names
        }
        return found
    }

    private init?(
        _ reference: MessageReference, _ store: MessageStore, _ conversation: ConversationKey?, _ last: Position?
    ) throws {
        var filter = EventFilter(types: Self.naming, conversation: conversation)
        switch reference {
        case .local(let id):
            let position = Position(id.rawValue)
            guard let event = try store.event(at: position), Self.isMessage(event),
                conversation == nil || event.event.conversation == conversation
            else { return nil }
            filter.conversation = event.event.conversation
            locals = [id]
        case .server(let id):
            try store.read { views in
                for key in try conversation.map({ [$0] }) ?? views.everyConversation() {
                    guard let local = try views.local(of: reference, in: key),
                        local.rawValue <= last?.rawValue ?? .max
                    else { continue }
                    locals.insert(local)
                    servers.insert(ServerName(conversation: key, id: id))
                }
            }
            guard let first = servers.first else { return nil }
            if servers.count == 1 { filter.conversation = first.conversation }
        }
        self.conversation = filter.conversation
        // A name may be given after an event that uses it.
        var known = 0
        while known != locals.count + servers.count {
            known = locals.count + servers.count
            try store.forEachEvent(to: last, where: filter) { event in
                learn(from: event)
                return true
            }
        }
    }

    /// Adds the first receipt of each member that covers the message, as if it named the message.
    mutating func addMarkers(in store: MessageStore) throws {
        markers = Set(try Receipts(of: self, in: store, nil, upTo: store.lastDurablePosition())?.positions ?? [])
    }

    /// Whether the event is the message, or names it.
    func isNamed(by event: RecordedEvent, _ hosts: HostEvents) -> Bool {
        if markers.contains(event.position) { return true }
        if locals.contains(LocalMessageID(event.position.rawValue)) { return true }
        if event.event.payload is UnknownEvent {
            let words = hosts.fieldTexts(of: event.event).filter { $0.type.kind == .message }
                .flatMap { ($0.text ?? "").split(separator: " ").map { String($0) } }
            return words.contains { isName($0, in: event.event.conversation) }
        }
        let named = NamedInEvent(event.event, hosts)
        return !locals.isDisjoint(with: named.locals)
            || named.servers.contains { servers.contains(ServerName(conversation: event.event.conversation, id: $0)) }
    }

    private func isName(_ word: String, in conversation: ConversationKey?) -> Bool {
        servers.contains(ServerName(conversation: conversation, id: ServerMessageID(word)))
            || UInt64(word).map { locals.contains(LocalMessageID($0)) } == true
    }

    /// The types of events that are messages.
    static let messages = Set(EventType.known.map(\.type).filter(\.isMessage))

    /// The types of events that give a message a name.
    private static let naming = messages.union([.init(MessageSent.self), .init(MessageDuplicateSuppressed.self)])

    /// Takes over the other name that an event gives to the message.
    private mutating func learn(from event: RecordedEvent) {
        let names = Self.names(in: event)
        let server = names.server.map { ServerName(conversation: event.event.conversation, id: $0) }
        guard names.local.map(locals.contains) == true || server.map(servers.contains) == true else { return }
        if let local = names.local { locals.insert(local) }
        if let server { servers.insert(server) }
    }

    private static func isMessage(_ event: RecordedEvent) -> Bool {
        names(in: event).local?.rawValue == event.position.rawValue
    }

    /// The names of one message that an event contains.
    private static func names(in event: RecordedEvent) -> (local: LocalMessageID?, server: ServerMessageID?) {
        let own = LocalMessageID(event.position.rawValue)
        switch event.event.payload {
        case let message as MessageReceived: return (own, message.serverID)
        case is MessageSendQueued, is MessageInsertedLocally: return (own, nil)
        case let sent as MessageSent: return (sent.message, sent.serverID)
        case let repeated as MessageDuplicateSuppressed: return (repeated.duplicateOf, repeated.serverID)
        default: return (nil, nil)
        }
    }
}

/// A message as somebody names it: `local:3` by its id in the store, `server:m1` by the server's, or only 3 or m1.
struct MessageArgument {
    let text: String
    /// The ids that it can mean: a number is an id of either kind.
    let references: [MessageReference]

    init(_ text: String) {
        self.text = text
        if let id = Self.rest(of: text, after: "local:").flatMap({ UInt64($0) }) {
            references = [.local(LocalMessageID(id))]
        } else if let id = Self.rest(of: text, after: "server:") {
            references = [.server(ServerMessageID(id))]
        } else {
            let local = UInt64(text).map { MessageReference.local(LocalMessageID($0)) }
            references = (local.map { [$0] } ?? []) + [.server(ServerMessageID(text))]
        }
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }

    /// The error for an argument whose two meanings are different messages.
    var ambiguity: ToolError {
        .usage(
            "\(text) names two messages: write local:\(text) for that of event \(text), server:\(text) for the server's"
        )
    }
}
