/// What a server's list of conversations tells of one of them; every part is optional.
///
/// Services answer a query for conversations with more than their fields: when something happened in them last, how much
/// is unread, up to where they were read, and this account's settings. A client that fetches its conversations on a new
/// device records that as one event each, and beside it, where the answer has it, the last message with the origin
/// `history`:
///
/// ```swift
/// let last = MessageOrder(time: lastTime, id: "m42")
/// let summary = ConversationSummaryReceived(
///     activity: lastTime, unread: .init(7, mentions: 1, upTo: last), isPinned: true)
/// try store.record(
///     Event(summary, in: conversation, origin: .live, serverTime: answerTime),
///     .received("m42", from: "tom", in: conversation, at: lastTime, content: .text("hi"), origin: .history))
/// ```
///
/// The store then lists the conversation where the server has it, with the server's count and a preview.
///
/// Parts that are nil change nothing. The read marker is moved first, then the count is taken over, then the settings.
public struct ConversationSummaryReceived: EventPayload {
    /// A server's count of unread messages.
    public struct Unread: Sendable, Hashable {
        /// Unread messages.
        public var count: UInt32
        /// Those that mention this account; at most ``count``.
        public var mentions: UInt32
        /// The last message that the server counted; nil where it does not tell.
        public var upTo: MessageOrder?

        /// Creates a count.
        public init(_ count: UInt32, mentions: UInt32 = 0, upTo: MessageOrder? = nil) {
            self.count = count
            self.mentions = mentions
            self.upTo = upTo
        }
    }

    /// When something happened in the conversation last, by the server's clock.
    ///
    /// It lists the conversation and moves it up, never down. One that was deleted from the list comes back only by a time
    /// that is later than those of the summaries, and of the messages, that were known when it was deleted; or by ``unread``, as
    /// by ``UnreadCountReported``.
    public var activity: Timestamp?
    /// What is unread, with the meaning of ``UnreadCountReported`` at the event's ``Event/serverTime``; where ``activity`` is
    /// told, a count without a place leaves the conversation there.
    public var unread: Unread?
    /// Up to where this account has read; moves the read marker up, never down, and leaves the mark "unread".
    public var readUpTo: MessageOrder?
    /// Whether it is pinned to the top, as ``ConversationPinned`` tells it.
    public var isPinned: Bool?
    /// Whether its notifications are muted, as ``ConversationMuted`` tells it.
    public var isMuted: Bool?
    /// Whether it carries the mark "unread", as ``ConversationMarkedUnread`` tells it.
    public var isMarkedUnread: Bool?
    /// Whether it is in the archive, as ``ConversationArchived`` tells it.
    public var isArchived: Bool?

    /// Creates the event.
    public init(
        activity: Timestamp? = nil, unread: Unread? = nil, readUpTo: MessageOrder? = nil, isPinned: Bool? = nil,
        isMuted: Bool? = nil, isMarkedUnread: Bool? = nil, isArchived: Bool? = nil
    ) {
        self.activity = activity
        self.unread = unread
        self.readUpTo = readUpTo
        self.isPinned = isPinned
        self.isMuted = isMuted
        self.isMarkedUnread = isMarkedUnread
        self.isArchived = isArchived
    }
}

extension ConversationSummaryReceived {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationSummaryReceived, "ConversationSummaryReceived", scope: .conversation, traits: .mergedByTime)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationSummaryReceived/activity`` is.
        public static let activity = Field<Timestamp?>(3, "activity")
        /// Where ``ConversationSummaryReceived/Unread/count`` is; without it nothing is told of what is unread.
        public static let count = Field<UInt32?>(4, "count")
        /// Where ``ConversationSummaryReceived/Unread/mentions`` is.
        public static let mentions = Field<UInt32?>(5, "mentions")
        /// Where ``ConversationSummaryReceived/Unread/upTo`` is.
        public static let upTo = Field<MessageOrder?>(6, "upTo")
        /// Where ``ConversationSummaryReceived/readUpTo`` is.
        public static let readUpTo = Field<MessageOrder?>(8, "readUpTo")
        /// Where ``ConversationSummaryReceived/isPinned`` is: 0 no, 1 yes.
        public static let isPinned = Field<UInt8?>(10, "isPinned")
        /// Where ``ConversationSummaryReceived/isMuted`` is: 0 no, 1 yes.
        public static let isMuted = Field<UInt8?>(11, "isMuted")
        /// Where ``ConversationSummaryReceived/isMarkedUnread`` is: 0 no, 1 yes.
        public static let isMarkedUnread = Field<UInt8?>(12, "isMarkedUnread")
        /// Where ``ConversationSummaryReceived/isArchived`` is: 0 no, 1 yes.
        public static let isArchived = Field<UInt8?>(13, "isArchived")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        let activity = try fields.decode(Fields.activity)
        let count = try fields.decode(Fields.count)
        let mentions = try fields.decode(Fields.mentions)
        let upTo = try fields.decode(Fields.upTo)
        self.init(
            activity: activity,
            unread: count.map { Unread($0, mentions: mentions ?? 0, upTo: upTo) },
            readUpTo: try fields.decode(Fields.readUpTo),
            isPinned: try fields.decode(Fields.isPinned).map { $0 == 1 },
            isMuted: try fields.decode(Fields.isMuted).map { $0 == 1 },
            isMarkedUnread: try fields.decode(Fields.isMarkedUnread).map { $0 == 1 },
            isArchived: try fields.decode(Fields.isArchived).map { $0 == 1 })
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(activity, for: Fields.activity)
        try fields.encode(unread?.count, for: Fields.count)
        try fields.encode(unread?.mentions, for: Fields.mentions)
        try fields.encode(unread?.upTo, for: Fields.upTo)
        try fields.encode(readUpTo, for: Fields.readUpTo)
        try fields.encode(isPinned.map { $0 ? 1 : 0 }, for: Fields.isPinned)
        try fields.encode(isMuted.map { $0 ? 1 : 0 }, for: Fields.isMuted)
        try fields.encode(isMarkedUnread.map { $0 ? 1 : 0 }, for: Fields.isMarkedUnread)
        try fields.encode(isArchived.map { $0 ? 1 : 0 }, for: Fields.isArchived)
    }

    /// Refuses more mentions than messages.
    public func validate() throws {
        if let unread, unread.mentions > unread.count { throw invalid("counts more mentions than messages") }
    }
}

extension EventType {
    /// The type of ``ConversationSummaryReceived``.
    @inlinable public static var conversationSummaryReceived: EventType { EventType(rawValue: 0x2C) }
}
