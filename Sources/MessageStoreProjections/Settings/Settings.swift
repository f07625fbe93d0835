@_spi(Storage) internal import MessageStoreLog

/// The projection of when settings were chosen. It decides which choices take effect, for the projections that follow
/// it.
///
/// Devices report choices late and in any order, so the latest choice applies, not the last one in the log. A choice
/// without a time takes effect whatever was chosen before, and its time is that of the clock when it was recorded. Of
/// two with times that are equal, setting wins over unsetting, then the later in the log (d33).
struct Settings: HandlingProjection {
    /// A new flag raises the version, because deleting a conversation takes every flag away; add 1 for another change.
    static let version = UInt32(ConversationFlag.all.count) + 1
    static let declaration = ProjectionDeclaration(.settings, version: version, events: handlers.types, tables: times)
    static var times: Table<SettingKey, SettingRow> { Table("settingTimes", 30) }

    static let handlers = ConversationFlag.all.reduce(EventHandlers<Self>()) { $0.on($1, $1.event) }
        .on(ConversationMuted.self) { fold, event, rows, changes in
            try fold.choose(.muting(Muting(event)), event[ConversationMuted.time], event.record, &rows, &changes)
        }
        .on(ConversationDraftChanged.self) { fold, event, rows, changes in
            let time = event[ConversationDraftChanged.time]
            let written = UInt64(clamping: (time ?? event.record.now).milliseconds)
            let draft = Choice.draft(position: event.record.position.rawValue, time: written)
            let isThere = event[ConversationDraftChanged.isThere]
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
    fileprivate func choose(
        _ choice: Choice, _ time: Timestamp?, _ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges
    ) throws {
        let key = SettingKey(conversation: event.conversationNumber, setting: choice.setting)
        let value = choice.rank(at: event.position.rawValue)
        var row = try rows.snapshot.row(Self.times, key) ?? SettingRow()
        let chosen = event.timeOfChoice(time)
        guard time == nil || (row.time, row.value) < (chosen, value) || row.time == 0 else { return }
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
