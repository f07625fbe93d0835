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
