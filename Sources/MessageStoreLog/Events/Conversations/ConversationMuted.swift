/// Notifications of a conversation were muted or restricted to mentions, for some time or for good, or let through
/// again.
public struct ConversationMuted: ConversationPayload {
    /// The level that says which messages notify.
    public var level: NotificationLevel
    /// Until when ``level`` holds, by the server's clock; from then on all messages notify again. nil means for good.
    ///
    /// No event is needed when the time has come: it is compared with the clock whenever something is read. Without
    /// meaning where ``level`` is ``NotificationLevel/all``.
    public var until: Timestamp?
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, one that mutes or restricts
    /// holds against one that does not, then the later in the log.
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

extension ConversationMuted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationMuted, "ConversationMuted", scope: .conversation, traits: [.replacesEarlier, .mergedByTime])

    package static let isMuted = FieldOf(3, "isMuted", \Self.isMuted)
    package static let time = FieldOf(4, "time", \Self.time)
    package static let until = FieldOf(5, "until", \Self.until)
    /// Stored if ``isMuted`` alone does not determine the level: 1 mentions only.
    package static let storedLevel = FieldOf(6, "level") { (event: Self) in
        event.level == .mentionsOnly ? event.level.rawValue : nil
    }
    package static let fieldList = FieldList(
        { Self(level(isMuted: $0, stored: $3), until: $2, at: $1) }, isMuted, time, until, storedLevel)

    /// The level that a record names; a level that this version does not know is read as a muted conversation's.
    @_spi(Storage) public static func level(isMuted: Bool, stored: UInt8?) -> NotificationLevel {
        guard isMuted else { return .all }
        return stored == NotificationLevel.mentionsOnly.rawValue ? .mentionsOnly : .nothing
    }
}

extension EventType {
    /// The type of ``ConversationMuted``.
    @inlinable public static var conversationMuted: EventType { EventType(rawValue: 0x26) }
}

/// The messages of a conversation that notify, and count for the badge.
public enum NotificationLevel: UInt8, Sendable, Hashable, CaseIterable {
    /// All of them.
    case all = 0
    /// Messages that mention this account, by name or as one of all.
    case mentionsOnly = 1
    /// None: the conversation is muted.
    case nothing = 2
}
