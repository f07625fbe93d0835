internal import MessageStore

/// A search of the log, a part at a time.
struct DebugSearch: Sendable {
    let first: Position
    let last: Position?
    let type: String?
    /// A conversation's id, kind:id or kind:id#channel.
    let conversation: String?
    let message: String?
    let text: String?

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
    }

    /// The conversation that is named; nil where none is.
    func conversationKey(in store: MessageStore) throws -> ConversationKey? {
        try conversation.map { text in try ConversationKey(text) ?? store.read { try findConversation(text, $0) } }
    }

    /// The message whose events are wanted; nil where they are not those of one.
    func messageSought(in store: MessageStore) throws -> Message? {
        try message.map { Message(name: $0, conversation: try conversationKey(in: store)) }
    }

    /// Looks at events for a moment.
    func run(in store: MessageStore, names: MessageNames?) throws -> JSONObject {
        let selection = try EventSelection(
            type: type, conversation: conversationKey(in: store), names: names, text: text, in: store)
        let hosts = HostEvents(try store.eventDescriptions())
        let end = min(last ?? Position(.max), try store.lastPosition())
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
