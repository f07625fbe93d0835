/// A member read messages of this account.
public struct MessageReadByPeer: ConversationPayload {
    /// The messages.
    public var scope: ReceiptScope
    /// Who read them; nil if the server does not report it.
    public var reader: UserID?
    /// When, by the server's clock.
    public var time: Timestamp
    /// How many members have read the messages, if the server reports numbers instead of names.
    public var counts: ReadCounts?

    /// Creates the event.
    public init(_ scope: ReceiptScope, by reader: UserID? = nil, at time: Timestamp, counts: ReadCounts? = nil) {
        self.scope = scope
        self.reader = reader
        self.time = time
        self.counts = counts
    }
}

extension MessageReadByPeer: BuiltInPayload {
    package static let declared = EventDeclaration(
        .messageReadByPeer, "MessageReadByPeer", scope: .conversation, traits: [.changesTimeline, .needsMessage])

    package enum Fields {
        package static let reader = SlotField(OptionalActorSlot(), "reader")
        package static let time = SlotField(ServerTimeSlot(), "time")
        package static let readCount = Field<UInt32?>(6, "readCount")
        package static let unreadCount = Field<UInt32?>(7, "unreadCount")
    }

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        let scope = try ReceiptScope(from: &fields)
        let (read, unread) = (try fields.decode(Fields.readCount), try fields.decode(Fields.unreadCount))
        var counts: ReadCounts?
        if let read, let unread { counts = ReadCounts(read: read, unread: unread) }
        self.init(
            scope, by: try fields.decode(Fields.reader), at: try fields.decode(Fields.time), counts: counts)
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try scope.encode(to: &fields)
        try fields.encode(counts?.read, for: Fields.readCount)
        try fields.encode(counts?.unread, for: Fields.unreadCount)
        try fields.encode(reader, for: Fields.reader)
        try fields.encode(time, for: Fields.time)
    }

    /// Refuses an empty list of messages.
    package func check() throws {
        guard !scope.isEmpty else { throw invalid("names no message") }
    }
}

extension EventType {
    /// The type of ``MessageReadByPeer``.
    @inlinable public static var messageReadByPeer: EventType { EventType(rawValue: 0x07) }
}

/// The messages that a receipt is about.
public enum ReceiptScope: FieldGroup {
    /// The named messages, at least one.
    case messages([MessageReference])
    /// Every message up to this server time, that time included: this account's if others received or read them,
    /// others' in a `ReadReceiptSent`.
    case upTo(Timestamp)
}

extension ReceiptScope: BuiltInGroup {
    package enum Fields {
        package static let messages = Field<[MessageReference]>(3, "messages")
        package static let upTo = Field<Timestamp?>(5, "upTo")
    }

    /// Reads messages or a time.
    package init(reading fields: inout some FieldDecoder) throws {
        let messages = try fields.decode(Fields.messages)
        let upTo = try fields.decode(Fields.upTo)
        self = upTo.map { .upTo($0) } ?? .messages(messages)
    }

    /// Writes messages or a time.
    package func write(to fields: inout some FieldEncoder) throws {
        switch self {
        case .messages(let messages):
            try fields.encode(messages, for: Fields.messages)
            try fields.encode(nil, for: Fields.upTo)
        case .upTo(let time):
            try fields.encode([], for: Fields.messages)
            try fields.encode(time, for: Fields.upTo)
        }
    }

    /// Whether the scope is an empty list.
    var isEmpty: Bool { self == .messages([]) }
}

/// How many members have read a message and how many have not, as a server counts them.
public struct ReadCounts: Hashable, Sendable {
    /// Members who have read it.
    public var read: UInt32
    /// Members who have not.
    public var unread: UInt32

    /// Creates the counts.
    public init(read: UInt32, unread: UInt32) {
        self.read = read
        self.unread = unread
    }
}
