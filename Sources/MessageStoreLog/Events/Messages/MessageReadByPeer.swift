/// A member read messages of this account.
public struct MessageReadByPeer: ConversationPayload {
    /// Which messages.
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
