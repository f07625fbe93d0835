import MessageStore

/// A message was starred, or its star was taken away.
struct StarChanged: EventPayload {
    var message: ServerMessageID
    var isStarred = true
    var time: Timestamp

    static let declaration = EventDeclaration("com.example.star-changed", scope: .conversation)
    enum Fields {
        static let message = Field<ServerMessageID>(3, "message")
        static let isStarred = Field<Bool>(4, "isStarred")
        static let time = Field<Timestamp>(5, "time")
    }
}

extension StarChanged {
    init(from fields: inout some FieldDecoder) throws {
        message = try fields.decode(Fields.message)
        isStarred = try fields.decode(Fields.isStarred)
        time = try fields.decode(Fields.time)
    }

    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(isStarred, for: Fields.isStarred)
        try fields.encode(time, for: Fields.time)
    }
}

/// A number: in `times` when a message was starred, in `counts` how many messages are.
struct Star: FieldGroup {
    var value: UInt64

    static let field = Field<UInt64>(1, "value")
    init(_ value: UInt64) { self.value = value }
    init(from fields: inout some FieldDecoder) throws { value = try fields.decode(Self.field) }
    func encode(to fields: inout some FieldEncoder) throws { try fields.encode(value, for: Self.field) }
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
        let message = KeyValue.string(try event[StarChanged.Fields.message].rawValue)
        let (isStarred, time) = (try event[StarChanged.Fields.isStarred], try event[StarChanged.Fields.time])
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
