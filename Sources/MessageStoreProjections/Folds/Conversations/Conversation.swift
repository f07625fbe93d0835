@_spi(Storage) internal import MessageStoreLog

/// A conversation as the list shows it.
///
/// ```swift
/// let page = try await store.read { try $0.conversations(limit: 50) }
/// for conversation in page.elements {
///     print(conversation.displayName, conversation.unread.messages, conversation.lastMessage?.text ?? "")
/// }
/// ```
public struct Conversation: Sendable, Hashable, Identifiable {
    /// The key of the conversation.
    public let key: ConversationKey
    /// The kind: the last that an event set, else the key's.
    public let kind: ConversationKind
    /// The same as ``key``.
    public var id: ConversationKey { key }
    /// The name on the server, if any.
    public let name: String?
    /// The name to show: the name on the server; else the peer's name in a chat of two, or the team's; else the id.
    ///
    /// The peer's name comes from ``Views/displayName(of:in:)``.
    public let displayName: String
    /// Whom a conversation of two people is with; nil in other conversations, and in one with oneself.
    ///
    /// The peer is the other member if exactly one other is known. Otherwise, in a key of the kind `single`, the id
    /// names the user, as it does in services that name a chat after the other one.
    public let peer: UserID?
    /// Who created it.
    public let creator: UserID?
    /// The URL of the picture: the one on the server; else the team's, or the peer's in a chat of two.
    public let avatarURL: String?
    /// Free attributes, as the server wrote them.
    public let attributes: [UInt8]
    /// The attributes by which ``ConversationQuery`` can select.
    public let indexedAttributes: [String: String]
    /// The tags that it carries, in the order of their bytes.
    public let tags: [String]
    /// Whether it is pinned to the top.
    public private(set) var isPinned: Bool
    /// The level that says which messages notify and count for the badge, at the time of the read.
    public private(set) var notificationLevel: NotificationLevel
    /// Until when ``notificationLevel`` holds, by the server's clock; nil for good.
    public private(set) var mutedUntil: Timestamp?
    /// Whether nothing notifies at the time of the read; muted conversations do not count for the badge.
    public var isMuted: Bool { notificationLevel == .nothing }
    /// Whether it is in the archive, which the conversation list leaves out unless asked for it.
    public private(set) var isArchived: Bool
    /// Whether the list leaves it out: it was deleted, or was only muted or cleared, and has no draft.
    public let isHidden: Bool
    /// Whether the conversation was invalidated and no snapshot has arrived since.
    public private(set) var isOutdated: Bool
    /// The time by which the list is ordered, which a draft counts for as well, at most a day after the recording of
    /// what it is of; nil if nothing happened yet.
    public let activity: Timestamp?
    /// A preview of the last message.
    public let lastMessage: MessagePreview?
    /// The unsent text, if any.
    public let draft: String?
    /// When the draft was written: the time that its event has, else when that was recorded.
    public let draftTime: Timestamp?
    /// Its unread count.
    public let unread: UnreadCount
    /// The number of known members.
    public let memberCount: Int

    /// Creates a conversation, for previews and tests.
    public init(
        key: ConversationKey, kind: ConversationKind? = nil, name: String? = nil, displayName: String? = nil,
        peer: UserID? = nil, creator: UserID? = nil, avatarURL: String? = nil, attributes: [UInt8] = [],
        indexedAttributes: [String: String] = [:],
        tags: [String] = [], isPinned: Bool = false, notificationLevel: NotificationLevel = .all,
        mutedUntil: Timestamp? = nil,
        isArchived: Bool = false, isHidden: Bool = false, isOutdated: Bool = false, activity: Timestamp? = nil,
        lastMessage: MessagePreview? = nil, draft: String? = nil,
        draftTime: Timestamp? = nil, unread: UnreadCount = .none, memberCount: Int = 0
    ) {
        self.key = key
        self.kind = kind ?? key.kind
        self.name = name
        self.displayName = displayName ?? name ?? key.id
        self.peer = peer
        self.creator = creator
        self.avatarURL = avatarURL
        self.attributes = attributes
        self.indexedAttributes = indexedAttributes
        self.tags = tags
        self.isPinned = isPinned
        self.notificationLevel = notificationLevel
        self.mutedUntil = mutedUntil
        self.isArchived = isArchived
        self.isHidden = isHidden
        self.isOutdated = isOutdated
        self.activity = activity
        self.lastMessage = lastMessage
        self.draft = draft
        self.draftTime = draftTime
        self.unread = unread
        self.memberCount = memberCount
    }

    /// Takes over the flags of its row.
    mutating func take(_ flags: ConversationRow.Flags) {
        isPinned = flags[.isPinned]
        isArchived = flags[.isArchived]
        isOutdated = flags[.isOutdated]
    }

    /// Ends a mute whose limit is a moment or earlier.
    mutating func endMuting(at moment: Timestamp) {
        guard let mutedUntil, mutedUntil <= moment else { return }
        notificationLevel = .all
        self.mutedUntil = nil
    }
}

/// The parts of a message's preview in the conversation list, from which a host makes a line in its own language.
public struct MessagePreview: Sendable, Hashable {
    /// The message.
    public let id: LocalMessageID
    /// The server's id of it; nil while a sent message is not acknowledged.
    public let serverID: ServerMessageID?
    /// Its conversation.
    public let conversation: ConversationKey
    /// Who sent it.
    public let sender: UserID
    /// The sender's name in this conversation.
    public let senderName: String
    /// Whether this account sent it.
    public let isOutgoing: Bool
    /// The type, for a label such as "[image]".
    public let contentType: ContentType
    /// The content, for a line that shows more than the text; nil if it was recalled or redacted.
    public let content: MessageContent?
    /// When it was sent.
    public let time: Timestamp
    /// How far it was sent and read.
    public let status: MessageStatus
    /// Whether it was taken back.
    public let isRecalled: Bool

    /// Creates a preview, for previews and tests.
    public init(
        id: LocalMessageID, serverID: ServerMessageID? = nil, conversation: ConversationKey, sender: UserID,
        senderName: String? = nil, isOutgoing: Bool = false, contentType: ContentType, content: MessageContent? = nil,
        time: Timestamp, status: MessageStatus = .received, isRecalled: Bool = false
    ) {
        self.id = id
        self.serverID = serverID
        self.conversation = conversation
        self.sender = sender
        self.senderName = senderName ?? sender.rawValue
        self.isOutgoing = isOutgoing
        self.contentType = contentType
        self.content = content
        self.time = time
        self.status = status
        self.isRecalled = isRecalled
    }

    /// The text, if the message has one and was neither recalled nor redacted.
    public var text: String? { content?.text }
}

/// The fields of a conversation that services reported, and the tags that this account put on it.
struct ConversationInfo: ViewRow {
    /// Next to the fields of events, which it takes over as they are.
    static let tagField: UInt32 = 16
    static let valueField: UInt32 = 17
    private typealias Fields = ConversationFields

    var name: String?
    var creator = UserNumber.none
    var avatarURL: String?
    var attributes: [UInt8]?
    /// The attributes that queries can ask for, as the host set them; they go before ``values``.
    var indexed: [String: String] = [:]
    /// Values of ``attributes``, if these are a JSON object.
    private(set) var values = AttributeValues()
    /// In the order of their bytes.
    private(set) var tags: [String] = []

    init() {}

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        describeFields(&parts)
        parts.field(Self.tagField, "tags", &tags, .strings)
        parts.field(Self.valueField, "values", &values, .attributeValues)
    }

    /// The parts that events have too.
    private mutating func describeFields(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.field(Fields.name.number, "name", &name, .string)
        parts.field(Fields.creator.number, "creator", &creator, .user)
        parts.field(Fields.avatarURL.number, "avatarURL", &avatarURL, .string)
        parts.field(Fields.attributes.number, "attributes", &attributes, .bytes)
        parts.field(Fields.indexed.number, "indexed", &indexed, .pairs)
    }

    /// Takes over all fields that a service reports; tags are this account's own.
    mutating func replace(by event: RecordView) {
        var info = ConversationInfo()
        info.tags = tags
        info.apply(event)
        self = info
    }

    /// Takes tags off, then puts others on.
    mutating func setTags(remove removed: [String], add added: [String]) {
        tags.removeAll { tag in removed.contains { $0.hasSameBytes(as: tag) } }
        for tag in added where !tags.contains(where: { $0.hasSameBytes(as: tag) }) { tags.append(tag) }
        tags.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Takes over the fields that an event sets; the others stay.
    mutating func apply(_ event: RecordView) {
        var fields = EventFields(event.fields)
        let before = attributes
        while fields.next() { describeFields(&fields) }
        if attributes != before { values = attributes.map { AttributeValues(json: $0) } ?? AttributeValues() }
    }
}

/// The conversations that are shown or counted, as to the archive.
///
/// A conversation is put into the archive by `ConversationArchived`.
public enum ArchivedConversations: Hashable, Sendable, CaseIterable {
    /// Conversations that are not in the archive.
    case excluded
    /// Conversations that are in the archive, and no others.
    case only
    /// All of them; in a list those in the archive follow the others.
    case included

    func contains(_ isArchived: Bool) -> Bool {
        switch self {
        case .excluded: !isArchived
        case .only: isArchived
        case .included: true
        }
    }
}
