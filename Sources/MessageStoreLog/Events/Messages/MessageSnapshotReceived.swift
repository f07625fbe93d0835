/// A server's state of a message at one moment, such as a copy of it that was fetched again.
///
/// Fields that are nil were not reported and change nothing. The other fields apply the server's state: a later edit
/// replaces the content, a recall is final, reactions are replaced as a set, flags are added, and counts never fall. A
/// message that has not arrived gets all of it when it does. A message of a chat room that was left is shown again.
/// `Views.news(of:in:)` returns only what the store does not know yet.
public struct MessageSnapshotReceived: ConversationPayload {
    /// The message.
    public var message: MessageReference
    /// The moment of the snapshot, by the server's clock: later changes of reactions stay, whenever they are recorded.
    /// A snapshot without a time replaces all that was recorded before it.
    public var time: Timestamp?
    /// The server's time of the message. It is used if only this device's time is known, and gives the message its
    /// place.
    public var sentTime: Timestamp?
    /// The content as its sender last changed it; nil if the content was never changed, or was not reported.
    public var content: MessageContent?
    /// When the content was changed; set with the content and only with it. Of two changes the later applies.
    public var modifiedTime: Timestamp?
    /// The users whom the changed content mentions; nil if the server reports neither them nor ``mentionsEveryone``,
    /// which leaves the message's mentions as they are. Without a changed content there are none.
    public var mentions: [UserID]?
    /// Whether the changed content mentions everybody.
    public var mentionsEveryone: Bool
    /// Whether it was recalled; false changes nothing.
    public var isRecalled: Bool
    /// All reactions to the message, each key once; empty for none.
    public var reactions: [ReactionSummary]?
    /// How many members have read it, and how many have not.
    public var counts: ReadCounts?
    /// How many members' devices have it.
    public var deliveredCount: UInt32?
    /// The flags that this account set on it; bits that do not fit the message's type are ignored.
    public var flags: MessageFlags?

    /// Creates the event.
    public init(
        _ message: MessageReference, asOf time: Timestamp? = nil, sentTime: Timestamp? = nil,
        content: MessageContent? = nil, modifiedTime: Timestamp? = nil, mentions: [UserID]? = nil,
        mentionsEveryone: Bool = false, isRecalled: Bool = false, reactions: [ReactionSummary]? = nil,
        counts: ReadCounts? = nil, deliveredCount: UInt32? = nil, flags: MessageFlags? = nil
    ) {
        self.message = message
        self.time = time
        self.sentTime = sentTime
        self.content = content
        self.modifiedTime = modifiedTime
        self.mentions = mentions
        self.mentionsEveryone = mentionsEveryone
        self.isRecalled = isRecalled
        self.reactions = reactions
        self.counts = counts
        self.deliveredCount = deliveredCount
        self.flags = flags
    }

    /// Whether it reports nothing about its message.
    public var isEmpty: Bool {
        sentTime == nil && content == nil && !isRecalled && reactions == nil && counts == nil && deliveredCount == nil
            && flags?.isEmpty ?? true
    }
}

extension MessageSnapshotReceived: BuiltInPayload {
    package static let declared = EventDeclaration(
        .messageSnapshotReceived, "MessageSnapshotReceived", scope: .conversation,
        traits: [.changesTimeline, .needsMessage, .holdsWords, .readByPosition])

    package enum Fields {
        package static let time = SlotField(OptionalServerTimeSlot(), "time")
        package static let contentType = SlotField(OptionalContentTypeSlot(), "contentType")
        package static let message = Field<MessageReference>(3, "message")
        package static let sentTime = Field<Timestamp?>(5, "sentTime")
        package static let modifiedTime = Field<Timestamp?>(6, "modifiedTime")
        package static let isRecalled = Field<Bool>(7, "isRecalled")
        package static let reactions = Field<[ReactionSummary]?>(8, "reactions")
        /// Distinguishes an empty list of reactions from one that was not reported.
        package static let tellsReactions = Field<Bool>(9, "tellsReactions")
        package static let readCount = Field<UInt32?>(10, "readCount")
        package static let unreadCount = Field<UInt32?>(11, "unreadCount")
        package static let deliveredCount = Field<UInt32?>(12, "deliveredCount")
        package static let flags = Field<MessageFlags?>(13, "flags")
        package static let mentions = Field<[UserID]?>(14, "mentions")
        package static let mentionsEveryone = Field<Bool>(15, "mentionsEveryone")
    }

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        let message = try fields.decode(Fields.message)
        let time = try fields.decode(Fields.time)
        let type = try fields.decode(Fields.contentType)
        let content = MessageContent(
            type: type ?? "", text: try fields.decode(MessageContent.Fields.text),
            data: try fields.decode(MessageContent.Fields.data) ?? [],
            attributes: try fields.decode(MessageContent.Fields.attributes) ?? [])
        let reactions = try fields.decode(Fields.reactions)
        let tellsReactions = try fields.decode(Fields.tellsReactions)
        let read = try fields.decode(Fields.readCount)
        let unread = try fields.decode(Fields.unreadCount)
        self.init(
            message, asOf: time, sentTime: try fields.decode(Fields.sentTime), content: type.map { _ in content },
            modifiedTime: try fields.decode(Fields.modifiedTime), mentions: try fields.decode(Fields.mentions),
            mentionsEveryone: try fields.decode(Fields.mentionsEveryone),
            isRecalled: try fields.decode(Fields.isRecalled),
            reactions: reactions ?? (tellsReactions ? [] : nil),
            counts: read.flatMap { read in unread.map { ReadCounts(read: read, unread: $0) } },
            deliveredCount: try fields.decode(Fields.deliveredCount), flags: try fields.decode(Fields.flags))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(time, for: Fields.time)
        try content?.encode(to: &fields)
        try fields.encode(reactions, for: Fields.reactions)
        try fields.encode(reactions != nil, for: Fields.tellsReactions)
        try fields.encode(counts?.read, for: Fields.readCount)
        try fields.encode(counts?.unread, for: Fields.unreadCount)
        try fields.encode(sentTime, for: Fields.sentTime)
        try fields.encode(modifiedTime, for: Fields.modifiedTime)
        try fields.encode(isRecalled, for: Fields.isRecalled)
        try fields.encode(deliveredCount, for: Fields.deliveredCount)
        try fields.encode(flags, for: Fields.flags)
        try fields.encode(mentions, for: Fields.mentions)
        try fields.encode(mentionsEveryone, for: Fields.mentionsEveryone)
    }

    /// Refuses an event that reports nothing, an edit without its time, mentions without an edit, a key that comes
    /// twice, and a count below the number of users who are named.
    package func check() throws {
        guard !isEmpty else { throw invalid("tells nothing of its message") }
        guard (content == nil) == (modifiedTime == nil) else {
            throw invalid("tells a changed content without its time, or a time without the content")
        }
        guard content != nil || mentions == nil && !mentionsEveryone else {
            throw invalid("has mentions without the content that they are in")
        }
        let reactions = reactions ?? []
        guard Set(reactions.map { Array($0.key.utf8) }).count == reactions.count else {
            throw invalid("tells a reaction twice")
        }
        guard reactions.allSatisfy({ UInt64($0.count ?? .max) >= UInt64(Set($0.users).count) }) else {
            throw invalid("counts fewer than it names")
        }
    }
}

extension EventType {
    /// The type of ``MessageSnapshotReceived``.
    @inlinable public static var messageSnapshotReceived: EventType { EventType(rawValue: 0x19) }
}
