/// The content of a message: a type, a text if it has one, and data that the host encodes.
///
/// The store uses nothing but `text`, for previews; the rest is returned byte for byte.
public struct MessageContent: FieldGroup {
    /// The type of content.
    public var type: ContentType
    /// The text, or nil.
    public var text: String?
    /// The host's own encoding of the content.
    public var data: [UInt8]
    /// The extra attributes of the message as the server wrote them, such as a JSON object.
    public var attributes: [UInt8]

    /// Creates content.
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

extension MessageContent: BuiltInGroup {
    package enum Fields {
        package static let contentType = SlotField(ContentTypeSlot(), "contentType")
        package static let text = ContentField<String?>(1, "text")
        package static let data = ContentField<[UInt8]?>(2, "data")
        package static let attributes = ContentField<[UInt8]?>(3, "attributes")
    }

    package init(reading fields: inout some FieldDecoder) throws {
        self.init(
            type: try fields.decode(Fields.contentType),
            text: try fields.decode(Fields.text),
            data: try fields.decode(Fields.data) ?? [],
            attributes: try fields.decode(Fields.attributes) ?? [])
    }

    /// Writes the fields; empty bytes are not written.
    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(type, for: Fields.contentType)
        try fields.encode(text, for: Fields.text)
        try fields.encode(data.isEmpty ? nil : data, for: Fields.data)
        try fields.encode(attributes.isEmpty ? nil : attributes, for: Fields.attributes)
    }
}

/// The parts of a message in addition to its content: mentions, the message it replies to, who may see it, and when it
/// disappears.
public struct MessageContext: FieldGroup {
    /// The users that the message mentions.
    public var mentions: [UserID]
    /// Whether the message mentions everybody.
    public var mentionsEveryone: Bool
    /// The users that may see it; nil means everyone, an empty list means the sender alone.
    public var visibleTo: [UserID]?
    /// The message to which it replies.
    public var replyTo: ServerMessageID?
    /// The message that it forwards.
    public var forwardOf: ServerMessageID?
    /// Text for the push notification, kept for the transport.
    public var pushText: String?
    /// After how long it disappears; nil for what its conversation's timer says.
    public var timer: MessageTimer?

    /// Creates a context; the default says nothing.
    public init(
        mentions: [UserID] = [],
        mentionsEveryone: Bool = false,
        visibleTo: [UserID]? = nil,
        replyTo: ServerMessageID? = nil,
        forwardOf: ServerMessageID? = nil,
        pushText: String? = nil,
        timer: MessageTimer? = nil
    ) {
        self.mentions = mentions
        self.mentionsEveryone = mentionsEveryone
        self.visibleTo = visibleTo
        self.replyTo = replyTo
        self.forwardOf = forwardOf
        self.pushText = pushText
        self.timer = timer
    }

    /// No mention, no reference, visible to all.
    public static let none = MessageContext()
}

extension MessageContext: BuiltInGroup {
    package enum Fields {
        package static let mentions = Field<[UserID]?>(3, "mentions")
        package static let mentionsEveryone = Field<Bool>(4, "mentionsEveryone")
        package static let visibleTo = Field<[UserID]?>(5, "visibleTo")
        package static let replyTo = Field<ServerMessageID?>(6, "replyTo")
        package static let forwardOf = Field<ServerMessageID?>(7, "forwardOf")
        package static let pushText = ContentField<String?>(4, "pushText")
    }

    package init(reading fields: inout some FieldDecoder) throws {
        // Mostly there is none of it, and asking for each of its fields costs more than all else of a message.
        guard !fields.isWithoutFields else {
            self.init(pushText: try fields.decode(Fields.pushText))
            return
        }
        self.init(
            mentions: try fields.decode(Fields.mentions) ?? [],
            mentionsEveryone: try fields.decode(Fields.mentionsEveryone),
            visibleTo: try fields.decode(Fields.visibleTo),
            replyTo: try fields.decode(Fields.replyTo),
            forwardOf: try fields.decode(Fields.forwardOf),
            pushText: try fields.decode(Fields.pushText))
        let seconds = try fields.decode(MessageTimer.Fields.seconds)
        let runsFromReading = try fields.decode(MessageTimer.Fields.runsFromReading)
        timer = seconds.map { MessageTimer(seconds: $0, runsFromReading: runsFromReading ?? false) }
    }

    /// Writes the fields; no mentions are not written.
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        if Target.skipsAbsent, isPlain { return try fields.encode(pushText, for: Fields.pushText) }
        try fields.encode(mentions.isEmpty ? nil : mentions, for: Fields.mentions)
        try fields.encode(mentionsEveryone, for: Fields.mentionsEveryone)
        try fields.encode(visibleTo, for: Fields.visibleTo)
        try fields.encode(replyTo, for: Fields.replyTo)
        try fields.encode(forwardOf, for: Fields.forwardOf)
        try fields.encode(pushText, for: Fields.pushText)
        try fields.encode(timer?.seconds, for: MessageTimer.Fields.seconds)
        try fields.encode(timer?.runsFromReading == true ? true : nil, for: MessageTimer.Fields.runsFromReading)
    }

    /// Whether it says nothing but the text for a notification, as mostly.
    var isPlain: Bool {
        mentions.isEmpty && !mentionsEveryone && visibleTo == nil && replyTo == nil && forwardOf == nil && timer == nil
    }

    /// Whether it mentions a user, by name or as one of all.
    package func mentions(_ user: UserID) -> Bool { mentionsEveryone || mentions.contains(user) }
}

/// Whether a message is stored and whether it counts as unread.
///
/// It is resolved when the message is recorded and frozen in the event. Messages that are not
/// stored never become events: they are only delivered to listeners.
public struct MessagePolicy: FieldGroup {
    /// Whether the message is recorded.
    public var isStored: Bool
    /// Whether the message counts as unread while it is above the read marker.
    public var countsUnread: Bool
    /// Whether the message may be a conversation's last message and move it up in the list.
    public var updatesLastMessage: Bool

    /// Creates a policy.
    public init(isStored: Bool = true, countsUnread: Bool = true, updatesLastMessage: Bool = true) {
        self.isStored = isStored
        self.countsUnread = countsUnread
        self.updatesLastMessage = updatesLastMessage
    }

    /// Store, count and show as last message.
    public static let standard = MessagePolicy()
    /// Store and show, but do not count.
    public static let uncounted = MessagePolicy(countsUnread: false)
    /// Store only: neither count nor show as last message.
    public static let silent = MessagePolicy(countsUnread: false, updatesLastMessage: false)
    /// Deliver only: neither recorded nor counted.
    public static let transient = MessagePolicy(isStored: false, countsUnread: false, updatesLastMessage: false)
}

extension MessagePolicy: BuiltInGroup {
    package enum Fields {
        package static let countsUnread = SlotField(FlagSlot(flag: .countsUnread), "countsUnread")
        package static let updatesLastMessage = SlotField(FlagSlot(flag: .updatesLastMessage), "updatesLastMessage")
    }

    /// Reads the fields; a recorded message is stored.
    package init(reading fields: inout some FieldDecoder) throws {
        self.init(
            countsUnread: try fields.decode(Fields.countsUnread),
            updatesLastMessage: try fields.decode(Fields.updatesLastMessage))
    }

    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(countsUnread, for: Fields.countsUnread)
        try fields.encode(updatesLastMessage, for: Fields.updatesLastMessage)
    }
}

/// After how long a message disappears, and from when on that time runs.
public struct MessageTimer: Sendable, Hashable {
    /// How many seconds; 0 for a message that stays.
    public var seconds: UInt32
    /// Whether the time runs from when this account read the message, and not from when it was sent.
    ///
    /// The time of this account's own messages runs from sending in any case.
    public var runsFromReading: Bool

    /// Creates a timer.
    public init(seconds: UInt32, runsFromReading: Bool = false) {
        self.seconds = seconds
        self.runsFromReading = runsFromReading
    }

    /// Messages stay.
    public static let off = MessageTimer(seconds: 0)
}

extension MessageTimer {
    package enum Fields {
        package static let seconds = Field<UInt32?>(9, "timerSeconds")
        package static let runsFromReading = Field<Bool?>(10, "timerRunsFromReading")
    }
}

/// A sender's name and picture as they came with a message.
public struct SenderProfile: FieldGroup {
    /// The name.
    public var name: String?
    /// The picture.
    public var avatarURL: String?

    /// Creates the value.
    public init(name: String? = nil, avatarURL: String? = nil) {
        self.name = name
        self.avatarURL = avatarURL
    }
}

extension SenderProfile: BuiltInGroup {
    static let nameField = ContentField<String?>(5, "senderName")
    static let avatarURLField = ContentField<String?>(6, "senderAvatarURL")

    /// The numbers in the content.
    static let numbers = [nameField.number, avatarURLField.number]

    package init(reading fields: inout some FieldDecoder) throws {
        self.init(name: try fields.decode(Self.nameField), avatarURL: try fields.decode(Self.avatarURLField))
    }

    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(name, for: Self.nameField)
        try fields.encode(avatarURL, for: Self.avatarURLField)
    }

    /// The profile, or nil if it says nothing.
    package var unlessEmpty: SenderProfile? { name == nil && avatarURL == nil ? nil : self }
}
