import MessageStore

/// A message was starred, or its star was taken away.
struct StarChanged: EventPayload, DeclaredFields {
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
    static let byTime = ProjectionTable<Star>(
        id, "by-time", key: [.time("time"), .conversation("conversation"), .string("message")])
    static let times = ProjectionTable<Star>(id, "times", key: [.conversation("conversation"), .string("message")])
    static let counts = ProjectionTable<Star>(id, "counts", key: [.number("always 0")])

    var version: UInt32 = 1
    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: version, handles: [StarChanged.declaration.type],
            tables: Self.byTime, Self.times, Self.counts)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard let key = try event.conversation.map({ KeyValue.conversation($0) }) else { return }
        let message = KeyValue.string(try event[StarChanged.message].rawValue)
        let (isStarred, time) = (try event[StarChanged.isStarred], try event[StarChanged.time])
        let old = try rows.row(of: Self.times, at: key, message)
        guard isStarred != (old != nil) else { return }
        let count = try rows.row(of: Self.counts, at: .number(0))?.value ?? 0
        try rows.put(Star(isStarred ? count + 1 : count - 1), in: Self.counts, at: .number(0))
        if let old {
            try rows.remove(from: Self.times, at: key, message)
            try rows.remove(from: Self.byTime, at: .time(Timestamp(milliseconds: Int64(old.value))), key, message)
        } else {
            try rows.put(Star(UInt64(max(time.milliseconds, 0))), in: Self.times, at: key, message)
            try rows.put(Star(0), in: Self.byTime, at: .time(time), key, message)
        }
    }
}
