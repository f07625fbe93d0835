internal import MessageStoreSearch

/// A search of the log, a part at a time.
struct DebugSearch: Sendable {
    let first: Position
    let last: Position?
    let type: String?
    /// A conversation's id, kind:id or kind:id#channel.
    let conversation: String?
    let message: String?
    let text: String?
    /// Words that a message shows.
    let words: String?

    /// The message that is named, and where.
    struct Message: Hashable {
        let name: String
        let conversation: ConversationKey?
    }

    /// A part of what was found, and where to go on; nil at the end of the log.
    static func found(_ positions: [Position], next: Position?) -> JSONObject {
        ["positions": positions, "next": next]
    }

    /// Events looked at between two looks at the clock.
    private static let piece: UInt64 = 128

    init(_ request: DebugRequest) throws {
        first = max(try request.position("from") ?? Position(1), Position(1))
        last = try request.position("to")
        type = request["type"]
        (conversation, message, text) = (request["conversation"], request["message"], request["text"])
        words = request["words"]
    }

    /// The conversation that is named; nil where none is.
    func conversationKey(in store: MessageStore) throws -> ConversationKey? {
        try conversation.map { text in try ConversationKey(text) ?? store.read { try findConversation(text, $0) } }
    }

    /// The message whose events are wanted; nil where they are not those of one.
    func messageSought(in store: MessageStore) throws -> Message? {
        try message.map { Message(name: $0, conversation: try conversationKey(in: store)) }
    }

    /// The messages from the first position on that show words; the newest thousand.
    private func messages(showing words: String, through end: Position, in store: MessageStore) throws -> [Position] {
        let query = SearchQuery(words)
        do { try query.check() } catch let error as StoreError { throw ToolError.usage(error.message) }
        let page = try store.search(query, after: Position(end.rawValue + 1), limit: 1000, scanning: .max)
        return page.hits.map(\.position).filter { $0 >= first }.ordered()
    }

    /// Looks at events for a moment.
    func run(in store: MessageStore, names: MessageNames?) throws -> JSONObject {
        let selection = try EventSelection(
            types: type.map { [$0] } ?? [], conversation: conversationKey(in: store), names: names, text: text,
            in: store)
        let hosts = HostEvents(try store.eventDescriptions())
        let end = min(last ?? Position(.max), try store.lastPosition())
        if let words, !words.isEmpty {
            let shown = try messages(showing: words, through: end, in: store).filter { position in
                guard let event = try store.events(from: position, to: position, where: selection.filter).first else {
                    return false
                }
                return selection.search.matches(event, hosts)
            }
            return Self.found(shown, next: nil)
        }
        let start = ContinuousClock.now
        var positions: [Position] = []
        var next = first
        while next <= end {
            guard start.duration(to: .now) < DebugSession.patience else { return Self.found(positions, next: next) }
            let pieceEnd = min(end, Position(next.rawValue + Self.piece - 1))
            try store.forEachEvent(from: next, to: pieceEnd, where: selection.filter, onDamage: { _ in }) { event in
                if selection.search.matches(event, hosts) { positions.append(event.position) }
                return true
            }
            next = Position(pieceEnd.rawValue + 1)
        }
        return Self.found(positions, next: nil)
    }
}
