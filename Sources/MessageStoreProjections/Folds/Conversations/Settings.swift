@_spi(Storage) internal import MessageStoreLog

/// The projection of when settings were chosen. It decides which choices take effect, for the projections that follow
/// it.
///
/// Devices report choices late and in any order, so the latest choice applies, not the last one in the log. A choice
/// without a time takes effect whatever was chosen before, and its time is that of the clock when it was recorded. Of
/// two with times that are equal, setting wins over unsetting, then the later in the log (d33).
struct Settings: HandlingProjection {
    /// A new flag raises the version, because deleting a conversation takes every flag away; another change adds 1.
    static let version = UInt32(ConversationFlag.all.count) + 2
    static let declaration = ProjectionDeclaration(.settings, version: version, events: handlers.types, tables: times)
    static var times: Table<SettingKey, SettingRow> { Table("settingTimes", 30, .sealed) }

    static let handlers = ConversationFlag.all.reduce(EventHandlers<Self>()) { $0.on($1, $1.event) }
        .on(ConversationMuted.self) { fold, event, rows, changes in
            try fold.choose(.muting(Muting(event)), event[ConversationMuted.time], event.record, &rows, &changes)
        }
        .on(ConversationDraftChanged.self) { fold, event, rows, changes in
            let time = event[ConversationDraftChanged.time]
            let isThere = event[ConversationDraftChanged.isThere]
            if let thread = event.record.bytes(of: ConversationDraftChanged.thread.field)?.copied {
                // The conversation may have been deleted since.
                let all = SettingKey(conversation: event.record.conversationNumber, setting: .threadDraft())
                let deleted = try rows.snapshot.row(times, all)?.time ?? 0
                return try fold.choose(
                    .threadDraft(thread, isThere), time, notBefore: deleted, event.record, &rows, &changes)
            }
            let written = UInt64(clamping: (time ?? event.record.now).milliseconds)
            let draft = Choice.draft(position: event.record.position.rawValue, time: written)
            try fold.choose(isThere ? draft : .noDraft, time, event.record, &rows, &changes)
        }
        .on(ConversationFolderChanged.self) { fold, event, rows, changes in
            let isThere = event[ConversationFolderChanged.isThere]
            let folder = Choice.folder(event[ConversationFolderChanged.folder], isThere)
            try fold.choose(folder, event[ConversationFolderChanged.time], event.record, &rows, &changes)
        }
        .on(ConversationTimerChanged.self) { fold, event, rows, changes in
            let timer = MessageTimer(
                seconds: event[ConversationTimerChanged.seconds],
                runsFromReading: event[ConversationTimerChanged.runsFromReading])
            try fold.choose(.timer(timer), event[ConversationTimerChanged.time], event.record, &rows, &changes)
        }
        .on(ConversationTagged.self) { fold, event, rows, changes in
            let time = event[ConversationTagged.time]
            let added = event[ConversationTagged.added]
            for tag in event[ConversationTagged.removed] where !added.contains(where: { $0.hasSameBytes(as: tag) }) {
                try fold.choose(.tag(tag, false), time, event.record, &rows, &changes)
            }
            for tag in added { try fold.choose(.tag(tag, true), time, event.record, &rows, &changes) }
        }
        .on(MemberInfoChanged.self) { fold, event, rows, changes in
            let user = UserNumber(rawValue: event[MemberInfoChanged.member])
            guard user != .none else { return }
            let time = event[MemberInfoChanged.time]
            if let nickname = event[MemberInfoChanged.nickname] {
                try fold.choose(.nickname(user, nickname), time, event.record, &rows, &changes)
            }
            if let role = event[MemberInfoChanged.role] {
                try fold.choose(.role(user, role), time, event.record, &rows, &changes)
            }
        }
        .on(ConversationRead.self) { fold, event, rows, changes in
            try fold.choose(.flag(.mark, false), nil, event.record, &rows, &changes)
        }
        .on(ConversationDeleted.self) { fold, event, rows, changes in
            for flag in ConversationFlag.all {
                try fold.choose(.flag(flag, false), nil, event.record, &rows, &changes)
            }
            try fold.choose(.noDraft, nil, event.record, &rows, &changes)
            let all = SettingKey(conversation: event.record.conversationNumber, setting: .threadDraft())
            try fold.choose(.threadDraft([], false), nil, event.record, &rows, &changes)
            for (key, _) in try rows.snapshot.allRows(times, under: all) where !key.setting.id.isEmpty {
                rows.remove(times, key)
            }
        }
        // A summary in a server's list reports the settings at the time of the server's answer.
        .on(ConversationSummaryReceived.self) { fold, event, rows, changes in
            let time = event.record.serverTime
            for flag in ConversationFlag.all {
                guard let field = flag.summary, let isSet = event[field] else { continue }
                try fold.choose(.flag(flag, isSet), time, event.record, &rows, &changes)
            }
            guard let isMuted = event[ConversationSummaryReceived.isMuted] else { return }
            let muting = Muting(level: isMuted ? .nothing : .all, until: 0)
            try fold.choose(.muting(muting), time, event.record, &rows, &changes)
        }

    /// The types of events that choose what the list and the counters take over, besides those that say more.
    static let typesOfConversations = ConversationFlag.types.union([.conversationMuted, .conversationDraftChanged])

    /// Notes a choice where it takes effect.
    ///
    /// - Parameter first: The time before which no choice takes effect.
    fileprivate func choose(
        _ choice: Choice, _ time: Timestamp?, notBefore first: UInt64 = 0, _ event: RecordView,
        _ rows: inout FoldRows, _ changes: inout FoldChanges
    ) throws {
        let key = SettingKey(conversation: event.conversationNumber, setting: choice.setting)
        let value = choice.rank(at: event.position.rawValue)
        var row = try rows.snapshot.row(Self.times, key) ?? SettingRow()
        let chosen = event.timeOfChoice(time)
        let isLater = (row.time, row.value) < (chosen, value) || row.time == 0
        let holds = time == nil || chosen >= first && isLater
        rows.reports?.weigh(
            choice.value, of: Self.times, at: key, chosen, named: time, holds: holds, by: .settings, event)
        guard holds else { return }
        (row.time, row.value) = (chosen, value)
        rows.put(Self.times, key, row)
        changes.choices.append(choice)
    }
}

extension EventHandlers<Settings> {
    fileprivate func on<Event: ConversationFlagEvent>(_ flag: ConversationFlag, _ type: Event.Type) -> Self {
        on(type) { fold, event, rows, changes in
            try fold.choose(.flag(flag, event[Event.flag]), event[Event.flagTime], event.record, &rows, &changes)
        }
    }
}

extension RecordView {
    /// See ``Timestamp/greatestLead``.
    static var greatestLead: UInt64 { UInt64(Timestamp.greatestLead) }

    /// When the choice that the event records was made, in milliseconds since 1970; at least 1.
    ///
    /// - Parameter time: The time that the event names; nil if the choice was made when it was recorded.
    func timeOfChoice(_ time: Timestamp?) -> UInt64 {
        guard let time else { return max(1, UInt64(clamping: choiceClock.milliseconds)) }
        // A clock that is far ahead must not bar every later choice.
        let recorded = flags.contains(.hasClock) ? correctedTime : choiceClock
        return max(
            1, min(UInt64(clamping: time.milliseconds), UInt64(clamping: recorded.milliseconds) &+ Self.greatestLead))
    }

    /// The same for what begins to run then: a slow clock must not let it end before it began.
    var timeOfStart: UInt64 {
        flags.contains(.hasClock) ? max(1, UInt64(clamping: correctedTime.milliseconds)) : timeOfChoice(nil)
    }

    /// The clock's reading: one wrong reading raises the times of all later recordings, and must not bar choices made
    /// then. Earlier versions kept it in a field of choices.
    private var choiceClock: Timestamp {
        flags.contains(.hasClock) ? clockTime : min(self[CommonField.clockTime] ?? recordedTime, recordedTime)
    }
}

/// A choice that people make for a conversation, a member or the list, on any of their devices.
struct Setting: Hashable {
    var kind = Kind.pin
    /// The bytes of the tag, or of the folder's or thread's id, which are compared by them.
    var id: [UInt8] = []
    /// Whose nickname or role it is.
    var user = UserNumber.none

    static func tag(_ tag: String) -> Setting { Setting(kind: .tag, id: Array(tag.utf8)) }
    /// A folder of the list, which belongs to no conversation; without an id, where the folders begin.
    static func folder(_ id: String = "") -> Setting { Setting(kind: .folder, id: Array(id.utf8)) }
    /// The draft of a thread, by the server's id of the message that begins it; without an id, the last deletion of all.
    static func threadDraft(_ id: [UInt8] = []) -> Setting { Setting(kind: .threadDraft, id: id) }
}

/// The key of a row of `settingTimes`.
struct SettingKey: ViewKey {
    var conversation = ConversationNumber.none
    var setting = Setting()

    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { { _ in 5 } }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("setting", &setting.kind)
        switch setting.kind {
        case .tag, .folder: parts.bytes("id", &setting.id, count: nil, .words)
        case .threadDraft: parts.bytes("thread", &setting.id, count: nil, .serverID)
        case .nickname, .role: parts.part("user", &setting.user, .user)
        default: break
        }
    }

    static func isUnseen(_ key: RawSpan) -> Bool {
        guard let setting = SettingKey(key: key)?.setting else { return true }
        // The last deletion of all drafts of threads is shown by no query.
        return setting.kind != .folder && (setting.kind != .threadDraft || setting.id.isEmpty)
    }

    static var forms: [SettingKey] {
        [Setting(), .tag(""), Setting(kind: .nickname), .threadDraft()].map { SettingKey(setting: $0) }
    }
}

/// A row of `settingTimes`: when a setting was last chosen, and what.
struct SettingRow: ViewRow {
    /// In milliseconds since 1970; at least 1.
    var time: UInt64 = 0
    /// Decides between two choices of one time: 0 for what is taken away, else 1 or the position of the event.
    var value: UInt64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("time", &time, .time)
        parts.part("value", &value)
    }
}

/// A setting with the value that somebody chose for it.
enum Choice {
    case flag(ConversationFlag, Bool)
    case muting(Muting)
    /// The event that holds the draft, and when it was written; 0 where there is none.
    case draft(position: UInt64, time: UInt64)
    /// Whether a thread has a draft; the row has the position of the event that holds it.
    case threadDraft([UInt8], Bool)
    case tag(String, Bool)
    case folder(String, Bool)
    case nickname(UserNumber, String)
    case role(UserNumber, UInt8)
    case timer(MessageTimer)

    /// The value alone, to be compared with another one of the setting.
    var value: AnyHashable {
        switch self {
        case .flag(_, let value), .tag(_, let value), .folder(_, let value), .threadDraft(_, let value): value
        case .muting(let muting): muting
        case .draft(let position, let time): [position, time]
        case .nickname(_, let name): name
        case .role(_, let role): role
        case .timer(let timer): timer
        }
    }

    static let noDraft = Choice.draft(position: 0, time: 0)

    var setting: Setting {
        switch self {
        case .flag(let flag, _): Setting(kind: flag.setting)
        case .muting: Setting(kind: .mute)
        case .draft: Setting(kind: .draft)
        case .threadDraft(let thread, _): .threadDraft(thread)
        case .tag(let tag, _): .tag(tag)
        case .folder(let id, _): .folder(id)
        case .nickname(let user, _): Setting(kind: .nickname, user: user)
        case .role(let user, _): Setting(kind: .role, user: user)
        case .timer: Setting(kind: .timer)
        }
    }

    /// Decides between two choices of one time: 0 for what is taken away, else 1, or the event's position where there
    /// are more values than two.
    func rank(at position: UInt64) -> UInt64 {
        switch self {
        case .flag(_, let isSet), .tag(_, let isSet): isSet ? 1 : 0
        case .muting(let muting): muting.level == .all ? 0 : position
        case .draft(let position, _): position
        case .folder(_, let isThere), .threadDraft(_, let isThere): isThere ? position : 0
        case .nickname(_, let nickname): nickname.isEmpty ? 0 : position
        case .role(_, let role): role == 0 ? 0 : position
        case .timer(let timer): timer.seconds == 0 ? 0 : position
        }
    }
}

/// A boolean of a conversation that people choose: all that follows from its events is declared in ``all``.
///
/// `Settings` decides which choices apply, and the list and the counters take those over.
struct ConversationFlag: Sendable {
    /// Its kind in `settingTimes`.
    let setting: Setting.Kind
    /// The events that set it.
    let event: any ConversationFlagEvent.Type
    /// The field of a summary in a server's list that reports it.
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
    /// The subject of a choice: a flag, or something with more values.
    enum Kind: UInt8, RowValue {
        case pin = 1
        case mute, mark, draft, tag, nickname, role, archive, folder, timer, threadDraft
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

/// The messages of a conversation that notify, and until when that holds.
struct Muting: Hashable {
    let level: NotificationLevel
    /// In milliseconds since 1970, at least 1; 0 for good, and where nothing is muted.
    let until: UInt64

    init(level: NotificationLevel, until: UInt64) {
        self.level = level
        self.until = level == .all ? 0 : until
    }

    init(_ event: EventView<ConversationMuted>) {
        let until = event[ConversationMuted.until]
        self.init(
            level: ConversationMuted.level(
                isMuted: event[ConversationMuted.isMuted], stored: event[ConversationMuted.storedLevel]),
            until: until.map { max(1, UInt64(clamping: $0.milliseconds)) } ?? 0)
    }

    /// The level at a moment: a limit ends when its time has come.
    func level(at moment: Timestamp) -> NotificationLevel {
        until != 0 && until <= UInt64(clamping: moment.milliseconds) ? .all : level
    }
}

/// Flags of a row that say which messages of a conversation notify; neither is set where all do.
protocol MutingFlags: RowFlags {
    /// Nothing notifies.
    static var isMuted: Self { get }
    /// Mentions alone notify.
    static var isMentionsOnly: Self { get }
}

/// A row that says which messages of a conversation notify, and until when.
protocol MutingRow {
    associatedtype Flags: MutingFlags

    var flags: Flags { get set }
    var mutedUntil: UInt64 { get set }
}

extension MutingRow {
    var muting: Muting {
        get {
            let level: NotificationLevel =
                flags.contains(.isMuted) ? .nothing : flags.contains(.isMentionsOnly) ? .mentionsOnly : .all
            return Muting(level: level, until: mutedUntil)
        }
        set {
            flags[.isMuted] = newValue.level == .nothing
            flags[.isMentionsOnly] = newValue.level == .mentionsOnly
            mutedUntil = newValue.until
        }
    }
}

extension ProjectionID {
    /// When settings of conversations and members were chosen, by which later reports are merged.
    public static let settings: ProjectionID = "Settings"
}
