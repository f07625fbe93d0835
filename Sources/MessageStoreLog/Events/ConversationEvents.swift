/// What a service tells of a conversation; nil fields were not told.
public struct ConversationFields: Hashable, Sendable {
    /// The name.
    public var name: String?
    /// Who created it.
    public var creator: UserID?
    /// The picture.
    public var avatarURL: String?
    /// Free attributes as the service wrote them, byte for byte, such as a JSON object.
    public var attributes: [UInt8]?
    /// The attributes that queries can ask for, as strings; given, it replaces all of them (B7, B49).
    public var indexed: [String: String]?

    /// Puts fields together.
    public init(
        name: String? = nil, creator: UserID? = nil, avatarURL: String? = nil, attributes: [UInt8]? = nil,
        indexed: [String: String]? = nil
    ) {
        self.indexed = indexed
        self.name = name
        self.creator = creator
        self.avatarURL = avatarURL
        self.attributes = attributes
    }
}

/// A conversation was created; its first members count as invited by the creator (B5).
public struct ConversationCreated: Hashable, Sendable {
    /// What is known of it.
    public var fields: ConversationFields
    /// Its first members.
    public var members: [UserID]

    /// Puts the event together.
    public init(_ fields: ConversationFields = ConversationFields(), members: [UserID] = []) {
        self.fields = fields
        self.members = members
    }
}

/// Some fields of a conversation changed; fields that are nil stay as they are.
public struct ConversationUpdated: Hashable, Sendable {
    /// The changed fields.
    public var fields: ConversationFields
    /// Who changed them.
    public var actor: UserID?

    /// Puts the event together.
    public init(_ fields: ConversationFields, by actor: UserID? = nil) {
        self.fields = fields
        self.actor = actor
    }
}

/// The server's full account of a conversation, which wins over all earlier hints (d23).
public struct ConversationSnapshotReceived: Hashable, Sendable {
    /// All fields; nil means that the conversation has none.
    public var fields: ConversationFields
    /// The complete member list, or nil where the service has none.
    public var members: [UserID]?

    /// Puts the event together.
    public init(_ fields: ConversationFields, members: [UserID]? = nil) {
        self.fields = fields
        self.members = members
    }
}

/// This account read a conversation, here or on another device; the marker never moves back.
public struct ConversationRead: Hashable, Sendable {
    /// The last message read; nil means all that is known at this position.
    public var upTo: MessageOrder?

    /// Puts the event together.
    public init(upTo: MessageOrder? = nil) {
        self.upTo = upTo
    }
}

/// The mark "unread", beside the count, was set or taken away (d8).
public struct ConversationMarkedUnread: Hashable, Sendable {
    /// Whether the mark is set.
    public var isMarked: Bool

    /// Puts the event together.
    public init(_ isMarked: Bool = true) {
        self.isMarked = isMarked
    }
}

/// A conversation was pinned to the top of the list, or released.
public struct ConversationPinned: Hashable, Sendable {
    /// Whether it is pinned.
    public var isPinned: Bool

    /// Puts the event together.
    public init(_ isPinned: Bool = true) {
        self.isPinned = isPinned
    }
}

/// Notifications of a conversation were muted, or let through again.
public struct ConversationMuted: Hashable, Sendable {
    /// Whether it is muted.
    public var isMuted: Bool

    /// Puts the event together.
    public init(_ isMuted: Bool = true) {
        self.isMuted = isMuted
    }
}

/// The unsent text in a conversation's input field changed.
public struct ConversationDraftChanged: Hashable, Sendable {
    /// The draft; nil removes it.
    public var text: String?

    /// Puts the event together.
    public init(_ text: String?) {
        self.text = text
    }
}

/// A conversation was removed from the list; the next message brings it back (d20).
public struct ConversationDeleted: Hashable, Sendable {
    /// Whether its messages are cleared as well.
    public var alsoMessages: Bool
    /// Whether the server is to forget it as well; intent for the transport.
    public var isRemote: Bool

    /// Puts the event together.
    public init(alsoMessages: Bool = false, isRemote: Bool = false) {
        self.alsoMessages = alsoMessages
        self.isRemote = isRemote
    }
}

/// What is known of a conversation is out of date until a snapshot arrives (d23).
public struct ConversationInvalidated: Hashable, Sendable {
    /// Puts the event together.
    public init() {}
}

/// Tags were put on a conversation or taken off.
public struct ConversationTagged: Hashable, Sendable {
    /// The tags to put on; each 1 to 128 UTF-8 bytes.
    public var added: [String]
    /// The tags to take off.
    public var removed: [String]

    /// Puts the event together.
    public init(add added: [String] = [], remove removed: [String] = []) {
        self.added = added
        self.removed = removed
    }
}
