/// Notifications of a conversation were muted or restricted to mentions, for some time or for good, or let through again.
public struct ConversationMuted: EventPayload {
    /// Which messages notify.
    public var level: NotificationLevel
    /// Until when ``level`` holds, by the server's clock; from then on all messages notify again. nil means for good.
    ///
    /// No event is needed when the time has come: it is compared with the clock whenever something is read. Without meaning
    /// where ``level`` is ``NotificationLevel/all``.
    public var until: Timestamp?
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, one that mutes or restricts holds
    /// against one that does not, then the later in the log.
    public var time: Timestamp?

    /// Whether anything is muted: that is, not all messages notify.
    public var isMuted: Bool { level != .all }

    /// Creates the event for a conversation that is muted, or no longer is.
    public init(_ isMuted: Bool = true, until: Timestamp? = nil, at time: Timestamp? = nil) {
        self.init(isMuted ? .nothing : .all, until: until, at: time)
    }

    /// Creates the event.
    public init(_ level: NotificationLevel, until: Timestamp? = nil, at time: Timestamp? = nil) {
        self.level = level
        self.until = until
        self.time = time
    }
}

extension ConversationMuted {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationMuted, "ConversationMuted", scope: .conversation, traits: [.replacesEarlier, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationMuted/isMuted`` is.
        public static let isMuted = Field<Bool>(3, "isMuted")
        /// Where ``ConversationMuted/time`` is.
        public static let time = Field<Timestamp?>(4, "time")
        /// Where ``ConversationMuted/until`` is.
        public static let until = Field<Timestamp?>(5, "until")
        /// Where ``ConversationMuted/level`` is, where ``isMuted`` alone does not tell it: 1 mentions only.
        public static let level = Field<UInt8?>(6, "level")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        let isMuted = try fields.decode(Fields.isMuted)
        let time = try fields.decode(Fields.time)
        let until = try fields.decode(Fields.until)
        self.init(
            Self.level(isMuted: isMuted, told: try fields.decode(Fields.level)), until: until, at: time)
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isMuted, for: Fields.isMuted)
        try fields.encode(time, for: Fields.time)
        try fields.encode(until, for: Fields.until)
        try fields.encode(level == .mentionsOnly ? level.rawValue : nil, for: Fields.level)
    }

    /// The level that a record tells: a level that this version does not know is that of a muted conversation.
    @_spi(Storage) public static func level(isMuted: Bool, told: UInt8?) -> NotificationLevel {
        guard isMuted else { return .all }
        return told == NotificationLevel.mentionsOnly.rawValue ? .mentionsOnly : .nothing
    }
}

extension EventType {
    /// The type of ``ConversationMuted``.
    @inlinable public static var conversationMuted: EventType { EventType(rawValue: 0x26) }
}
