/// What a message says: a type, its text if any, and whatever else the host's codec put in.
///
/// The store interprets nothing but `text`, for digests; the rest comes back byte for byte.
public struct MessageContent: Hashable, Sendable {
    /// The type of content.
    public var type: ContentType
    /// The text, or nil.
    public var text: String?
    /// The host's own encoding of the content.
    public var data: [UInt8]
    /// The extra attributes of the message as the service wrote them, such as a JSON object.
    public var attributes: [UInt8]

    /// Puts content together.
    public init(type: ContentType, text: String? = nil, data: [UInt8] = [], attributes: [UInt8] = []) {
        self.type = type
        self.text = text
        self.data = data
        self.attributes = attributes
    }

    /// Plain text.
    public static func text(_ text: String) -> MessageContent {
        MessageContent(type: .text, text: text)
    }
}

/// Whether a message is kept and whether it counts as unread (E8).
///
/// It is resolved when the message is recorded and frozen in the event (I12, d11). Messages that are not
/// to be kept never become events: they are handed to whoever listens and forgotten (d10).
public struct MessagePolicy: Hashable, Sendable {
    /// Whether the message is recorded at all.
    public var isKept: Bool
    /// Whether the message counts as unread while it is above the read marker.
    public var countsUnread: Bool
    /// Whether the message may be a conversation's last message and move it up in the list.
    public var updatesLastMessage: Bool

    /// Puts a policy together.
    public init(isKept: Bool = true, countsUnread: Bool = true, updatesLastMessage: Bool = true) {
        self.isKept = isKept
        self.countsUnread = countsUnread
        self.updatesLastMessage = updatesLastMessage
    }

    /// Keep, count and show as last message.
    public static let standard = MessagePolicy()
    /// Keep and show, but do not count.
    public static let uncounted = MessagePolicy(countsUnread: false)
    /// Keep only: neither count nor show as last message.
    public static let silent = MessagePolicy(countsUnread: false, updatesLastMessage: false)
    /// Hand over and forget: neither recorded nor counted (A14, B39, d10).
    public static let transient = MessagePolicy(isKept: false, countsUnread: false, updatesLastMessage: false)
}

/// What a message says beside its content: whom it mentions, answers, and may be seen by.
public struct MessageContext: Hashable, Sendable {
    /// The users that the message mentions.
    public var mentions: [UserID]
    /// Whether the message mentions everybody.
    public var mentionsEveryone: Bool
    /// The only users that may see it; nil means everybody, an empty list the sender alone (A27–A29).
    public var visibleTo: [UserID]?
    /// The message that it answers.
    public var replyTo: ServerMessageID?
    /// The message that it forwards.
    public var forwardOf: ServerMessageID?
    /// Text for the push notification, kept for the transport.
    public var pushText: String?

    /// Puts a context together; the default says nothing.
    public init(
        mentions: [UserID] = [],
        mentionsEveryone: Bool = false,
        visibleTo: [UserID]? = nil,
        replyTo: ServerMessageID? = nil,
        forwardOf: ServerMessageID? = nil,
        pushText: String? = nil
    ) {
        self.mentions = mentions
        self.mentionsEveryone = mentionsEveryone
        self.visibleTo = visibleTo
        self.replyTo = replyTo
        self.forwardOf = forwardOf
        self.pushText = pushText
    }

    /// No mention, no reference, visible to all.
    public static let none = MessageContext()
}

/// A message named by whichever id is at hand.
public enum MessageReference: Hashable, Sendable {
    /// By its id in this store.
    case local(LocalMessageID)
    /// By the server's id, in the conversation of the event or query.
    case server(ServerMessageID)
}

/// A place in a conversation's order: server time, then server id (d2). Read markers are such places.
public struct MessageOrder: Hashable, Sendable {
    /// The server time.
    public var time: Timestamp
    /// The server id; nil stands after every message of that time.
    public var id: ServerMessageID?

    /// Names a place.
    public init(time: Timestamp, id: ServerMessageID? = nil) {
        self.time = time
        self.id = id
    }
}
