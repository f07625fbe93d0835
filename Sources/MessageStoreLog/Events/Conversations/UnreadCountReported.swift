/// The server's own count of unread messages, for clients that do not receive them all.
///
/// It replaces the store's own count of messages up to `upTo`; the store counts later ones. Moving the read marker to
/// `upTo` or beyond ends it. Services that tell a number alone leave `upTo` and `time` out: the number then stands up to
/// everything that the store has and everything sent before the report.
///
/// A conversation of which anything is reported unread is listed, at the time of the last message that was counted; one
/// that was deleted from the list comes back unless the store had that message, or a newer one, when it was deleted.
public struct UnreadCountReported: EventPayload {
    /// Unread messages.
    public var count: UInt32
    /// Those that mention this account.
    public var mentions: UInt32
    /// The last message that the server counted; nil where it does not tell.
    public var upTo: MessageOrder?
    /// When, by the server's clock; the latest report holds. Where it is nil, the time at which the report is recorded
    /// stands for it.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ count: UInt32, mentions: UInt32 = 0, upTo: MessageOrder? = nil, at time: Timestamp? = nil) {
        self.count = count
        self.mentions = mentions
        self.upTo = upTo
        self.time = time
    }
}

extension UnreadCountReported {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.unreadCountReported, "UnreadCountReported", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``UnreadCountReported/time`` is.
        public static let time = EnvelopeField(.optionalServerTime, "time")
        /// Where ``UnreadCountReported/upTo`` is.
        public static let upTo = Field<MessageOrder?>(3, "upTo")
        /// Where ``UnreadCountReported/count`` is.
        public static let count = Field<UInt32>(5, "count")
        /// Where ``UnreadCountReported/mentions`` is.
        public static let mentions = Field<UInt32>(6, "mentions")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        let upTo = try fields.decode(Fields.upTo)
        self.init(
            try fields.decode(Fields.count),
            mentions: try fields.decode(Fields.mentions),
            upTo: upTo,
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(upTo, for: Fields.upTo)
        try fields.encode(count, for: Fields.count)
        try fields.encode(mentions, for: Fields.mentions)
        try fields.encode(time, for: Fields.time)
    }

    /// Refuses more mentions than messages.
    public func validate() throws {
        guard mentions <= count else { throw invalid("counts more mentions than messages") }
    }
}

extension EventType {
    /// The type of ``UnreadCountReported``.
    @inlinable public static var unreadCountReported: EventType { EventType(rawValue: 0x2B) }
}
