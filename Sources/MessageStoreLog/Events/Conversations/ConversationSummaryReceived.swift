/// An entry of a server's list of conversations; every part is optional.
///
/// Services answer a query for conversations with more than their fields: when something happened in them last, how
/// much is unread, up to where they were read, and this account's settings. A client that fetches its conversations on
/// a new device records one such event for each and, if the answer has it, the last message with the origin `history`:
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
public struct ConversationSummaryReceived: ConversationPayload {
    /// A server's count of unread messages.
    public struct Unread: Sendable, Hashable {
        /// Unread messages.
        public var count: UInt32
        /// Messages among them that mention this account; at most ``count``.
        public var mentions: UInt32
        /// The last message that the server counted; nil if it does not report that.
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
    /// It lists the conversation and moves it up, never down. One that was deleted from the list comes back only by a
    /// time that is later than the times of the summaries, and of the messages, that were known when it was deleted; or
    /// by ``unread``, as by ``UnreadCountReported``.
    public var activity: Timestamp?
    /// The unread count, with the meaning of ``UnreadCountReported`` at the event's ``Event/serverTime``; if
    /// ``activity`` is set, a count without a place leaves the conversation at that time. It can move the read place back.
    public var unread: Unread?
    /// Up to where this account has read; moves the read marker up, never down, and leaves the mark "unread".
    public var readUpTo: MessageOrder?
    /// Whether it is pinned to the top, as ``ConversationPinned`` records it.
    public var isPinned: Bool?
    /// Whether its notifications are muted, as ``ConversationMuted`` records it.
    public var isMuted: Bool?
    /// Whether it carries the mark "unread", as ``ConversationMarkedUnread`` records it.
    public var isMarkedUnread: Bool?
    /// Whether it is in the archive, as ``ConversationArchived`` records it.
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

extension ConversationSummaryReceived: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationSummaryReceived, "ConversationSummaryReceived", scope: .conversation, traits: .mergedByTime)

    package static let activity = FieldOf(3, "activity", \Self.activity)
    /// Without it the event says nothing of unread messages.
    package static let count = FieldOf(4, "count", \Self.unread?.count)
    package static let mentions = FieldOf(5, "mentions", \Self.unread?.mentions)
    package static let upTo = FieldOf(6, "upTo", \Self.unread?.upTo)
    package static let readUpTo = FieldOf(8, "readUpTo", \Self.readUpTo)
    package static let isPinned = flag(10, "isPinned", \.isPinned)
    package static let isMuted = flag(11, "isMuted", \.isMuted)
    package static let isMarkedUnread = flag(12, "isMarkedUnread", \.isMarkedUnread)
    package static let isArchived = flag(13, "isArchived", \.isArchived)
    package static let fieldList = FieldList(
        Self.init(activity:count:mentions:upTo:readUpTo:isPinned:isMuted:isMarkedUnread:isArchived:), activity, count,
        mentions, upTo, readUpTo, isPinned, isMuted, isMarkedUnread, isArchived)

    private init(
        activity: Timestamp?, count: UInt32?, mentions: UInt32?, upTo: MessageOrder?, readUpTo: MessageOrder?,
        isPinned: ReportedFlag?, isMuted: ReportedFlag?, isMarkedUnread: ReportedFlag?, isArchived: ReportedFlag?
    ) {
        self.init(
            activity: activity, unread: count.map { Unread($0, mentions: mentions ?? 0, upTo: upTo) },
            readUpTo: readUpTo, isPinned: isPinned?.isSet, isMuted: isMuted?.isSet,
            isMarkedUnread: isMarkedUnread?.isSet, isArchived: isArchived?.isSet)
    }

    /// The flags that it reports, with the types of the single events that set them.
    package static let flags: [(event: any ConversationFlagEvent.Type, value: Flag)] = [
        (ConversationPinned.self, \.isPinned), (ConversationMarkedUnread.self, \.isMarkedUnread),
        (ConversationArchived.self, \.isArchived),
    ]
    package typealias Flag = any WritableKeyPath<Self, Bool?> & Sendable

    /// The field of a flag.
    private static func flag(
        _ number: UInt32, _ name: StaticString, _ value: @escaping @Sendable (Self) -> Bool?
    ) -> FieldOf<Self, ReportedFlag?> {
        FieldOf(number, name) { value($0).map(ReportedFlag.init) }
    }

    /// Refuses more mentions than messages.
    package func check() throws {
        if let unread, unread.mentions > unread.count { throw invalid("counts more mentions than messages") }
    }
}

extension EventType {
    /// The type of ``ConversationSummaryReceived``.
    @inlinable public static var conversationSummaryReceived: EventType { EventType(rawValue: 0x2C) }
}
