import MessageStore

/// A host's projection: messages that someone reacted to with a star, newest first, and how many there are.
struct Stars: Projection {
    static let id: ProjectionID = "com.example.stars"
    static let messages = ProjectionTable<Star, (ConversationKey, ServerMessageID)>(
        id, "messages", key: "conversation", "serverID")
    static let byTime = ProjectionTable<Star, (Timestamp, ServerMessageID)>(id, "by-time", key: "time", "serverID")
    static let counts = ProjectionTable<StarCount, ConversationKey>(id, "counts", key: "conversation")

    var version: UInt32 = 1
    var rules = ""
    var failurePolicy = FailurePolicy.stop
    var handled: Set<EventType> = [.reactionAdded, .reactionRemoved]
    var reads: Set<ProjectionID> = []
    /// Called with each event first.
    var hook: @Sendable (Position) throws -> Void = { _ in }
    /// Called after the rows of an event were written.
    var afterwards: @Sendable (Position) throws -> Void = { _ in }

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: version, rules: rules, handles: handled, reads: reads, failurePolicy: failurePolicy,
            tables: Self.messages, Self.byTime, Self.counts)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        try hook(event.position)
        guard try event[ReactionAdded.key] == "⭐", let conversation = try event.conversation,
            case .server(let message) = try event[ReactionAdded.message]
        else { return }
        let known = try rows.row(of: Self.messages, at: (conversation, message))
        var count = try rows.row(of: Self.counts, at: conversation) ?? StarCount(count: 0)
        if event.type == .reactionAdded, known == nil, let user = try event.actor {
            let star = Star(user: user, time: try event[ReactionAdded.time])
            try rows.put(star, in: Self.messages, at: (conversation, message))
            try rows.put(star, in: Self.byTime, at: (star.time, message))
            count.count += 1
        } else if event.type == .reactionRemoved, let known {
            try rows.remove(from: Self.messages, at: (conversation, message))
            try rows.remove(from: Self.byTime, at: (known.time, message))
            count.count -= 1
        }
        try rows.put(count, in: Self.counts, at: conversation)
        try afterwards(event.position)
    }
}

struct Star: DeclaredFields {
    var user: UserID
    var time: Timestamp

    static let fieldList = FieldList(Self.init, FieldOf(1, "user", \Self.user), FieldOf(2, "time", \Self.time))
}

struct StarCount: DeclaredFields {
    var count: UInt64

    static let fieldList = FieldList(Self.init, FieldOf(1, "count", \Self.count))
}

extension Views {
    /// The ids of the starred messages, newest first.
    func starred(limit: Int = 1000) throws -> [String] {
        try rows(of: Stars.byTime, order: .descending, limit: limit).elements.map(\.key.1.rawValue)
    }

    func starCount(of conversation: ConversationKey) throws -> UInt64 {
        try row(of: Stars.counts, at: conversation)?.count ?? 0
    }
}

func starred(_ id: ServerMessageID, at time: Int64, by user: UserID = "bob", in key: ConversationKey = group) -> Event {
    Event(ReactionAdded(.server(id), key: "⭐", by: user, at: ms(time)), in: key)
}

func unstarred(_ id: ServerMessageID, at time: Int64, by user: UserID = "bob", in key: ConversationKey = group) -> Event
{
    Event(ReactionRemoved(.server(id), key: "⭐", by: user, at: ms(time)), in: key)
}
