/// A boolean of a conversation that people choose: all that follows from its events is declared in ``all``.
///
/// `Settings` decides which choices apply, and the list and the counters take those over.
struct ConversationFlag: Sendable {
    /// Its kind in `settingTimes`.
    let setting: Setting.Kind
    /// The events that set it.
    let event: any ConversationFlagEvent.Type
    /// Where a summary in a server's list reports it.
    var summary: FieldOf<ConversationSummaryReceived, ReportedFlag?>?
    /// Its bit in the conversation's row; without one, setting the flag lists a conversation that was deleted.
    var row: ConversationRow.Flags?
    /// Its bit in the row of the unread count, if that depends on it.
    var unread: UnreadRow.Flags?

    static let mark = ConversationFlag(
        setting: .mark, event: ConversationMarkedUnread.self, summary: ConversationSummaryReceived.isMarkedUnread,
        unread: .isMarkedUnread)
    static let all = [
        mark,
        ConversationFlag(
            setting: .pin, event: ConversationPinned.self, summary: ConversationSummaryReceived.isPinned, row: .isPinned
        ),
        ConversationFlag(
            setting: .archive, event: ConversationArchived.self, summary: ConversationSummaryReceived.isArchived,
            row: .isArchived, unread: .isArchived),
    ]
    /// The types of the events that set flags.
    static let types = Set(all.map { $0.event.declaration.type })
}

extension Setting {
    /// What is chosen: a flag, or something with more values.
    enum Kind: UInt8, RowValue {
        case pin = 1
        case mute, mark, draft, tag, nickname, role, archive, folder, timer
    }
}

extension ConversationRow {
    /// Booleans that the list shows or depends on.
    struct Flags: MutingFlags {
        let rawValue: UInt16
        static let bitNames = [
            "isPinned", "isMuted", "isHidden", "isCleared", "isOutdated", "isArchived", "isMentionsOnly", "isUnlisted",
        ]
        static let isPinned = Flags(rawValue: 1)
        /// Nothing notifies (d43).
        static let isMuted = Flags(rawValue: 2)
        /// Deleted from the list; the next message lists it again (d20).
        static let isHidden = Flags(rawValue: 4)
        /// Its timeline has a floor.
        static let isCleared = Flags(rawValue: 8)
        /// A hint of a change came; a snapshot has to confirm it (d23).
        static let isOutdated = Flags(rawValue: 16)
        static let isArchived = Flags(rawValue: 32)
        /// Mentions alone notify.
        static let isMentionsOnly = Flags(rawValue: 64)
        /// Nothing has put it into the list: it was only muted or cleared, or had a draft.
        static let isUnlisted = Flags(rawValue: 128)
    }
}
