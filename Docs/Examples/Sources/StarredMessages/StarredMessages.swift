import MessageStore

/// A message was starred, or its star was taken away.
struct StarChanged: ConversationPayload, DeclaredFields {
    var message: ServerMessageID
    var isStarred = true
    var time: Timestamp

    static let declaration = EventDeclaration("com.example.star-changed", scope: .conversation)
    static let message = FieldOf(3, "message", \Self.message)
    static let isStarred = FieldOf(4, "isStarred", \Self.isStarred)
    static let time = FieldOf(5, "time", \Self.time)
    static let fieldList = FieldList(Self.init, message, isStarred, time)
}

/// A number: in `times` when a message was starred, in `counts` how many messages are.
struct Star: DeclaredFields {
    var value: UInt64

    static let fieldList = FieldList(Self.init, FieldOf(1, "value", \Self.value))
    init(_ value: UInt64) { self.value = value }
}

/// The starred messages, newest first, with their number.
struct StarredMessages: Projection {
    static let id: ProjectionID = "com.example.starred-messages"
    static let byTime = ProjectionTable<Star, (Timestamp, ConversationKey, ServerMessageID)>(
        id, "by-time", key: "time", "chat", "message")
    static let times = ProjectionTable<Star, (ConversationKey, ServerMessageID)>(id, "times", key: "chat", "message")
    static let counts = ProjectionTable<Star, UInt64>(id, "counts", key: "always 0")

    var version: UInt32 = 1
    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: version, handles: [StarChanged.declaration.type],
            tables: Self.byTime, Self.times, Self.counts)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard let conversation = try event.conversation else { return }
        let message = try event[StarChanged.message]
        let (isStarred, time) = (try event[StarChanged.isStarred], try event[StarChanged.time])
        let old = try rows.row(of: Self.times, at: (conversation, message))
        guard isStarred != (old != nil) else { return }
        let count = try rows.row(of: Self.counts, at: 0)?.value ?? 0
        try rows.put(Star(isStarred ? count + 1 : count - 1), in: Self.counts, at: 0)
        if let old {
            try rows.remove(from: Self.times, at: (conversation, message))
            try rows.remove(from: Self.byTime, at: (Timestamp(milliseconds: Int64(old.value)), conversation, message))
        } else {
            try rows.put(Star(UInt64(max(time.milliseconds, 0))), in: Self.times, at: (conversation, message))
            try rows.put(Star(0), in: Self.byTime, at: (time, conversation, message))
        }
    }
}
