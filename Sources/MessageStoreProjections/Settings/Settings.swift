@_spi(Storage) internal import MessageStoreLog

/// The projection of when settings were chosen. It decides which choices take effect, for the projections that follow
/// it.
///
/// Devices report choices late and in any order, so the latest choice applies, not the last one in the log. A choice
/// without a time takes effect whatever was chosen before, and its time is that of the clock when it was recorded. Of
/// two with times that are equal, setting wins over unsetting, then the later in the log (d33).
struct Settings: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .settings, version: 3,
        events: .types([
            .conversationPinned, .conversationMuted, .conversationMarkedUnread, .conversationDraftChanged,
            .conversationTagged, .memberInfoChanged, .conversationRead, .conversationDeleted,
            .conversationSummaryReceived, .conversationArchived, .conversationFolderChanged,
        ]),
        tables: [times])
    static var times: Table<SettingKey, SettingRow> { Table("settingTimes", 30) }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        switch event.type {
        case .conversationPinned:
            let isPinned = event[ConversationPinned.isPinned]
            try choose(.pin, isPinned ? 1 : 0, event[ConversationPinned.time], event, &rows, &changes)
        case .conversationMuted:
            let value = event[ConversationMuted.isMuted] ? event.position.rawValue : 0
            try choose(.mute, value, event[ConversationMuted.time], event, &rows, &changes)
        case .conversationArchived:
            let isArchived = event[ConversationArchived.isArchived]
            try choose(.archive, isArchived ? 1 : 0, event[ConversationArchived.time], event, &rows, &changes)
        case .conversationMarkedUnread:
            let isMarked = event[ConversationMarkedUnread.isMarked]
            try choose(.mark, isMarked ? 1 : 0, event[ConversationMarkedUnread.time], event, &rows, &changes)
        case .conversationDraftChanged:
            let isThere = event[ConversationDraftChanged.isThere]
            let value = isThere ? event.position.rawValue : 0
            try choose(.draft, value, event[ConversationDraftChanged.time], event, &rows, &changes)
        case .conversationFolderChanged:
            let value = event[ConversationFolderChanged.isThere] ? event.position.rawValue : 0
            let folder = Setting.folder(event[ConversationFolderChanged.folder])
            try choose(folder, value, event[ConversationFolderChanged.time], event, &rows, &changes)
        case .conversationTagged: try tag(event, &rows, &changes)
        case .memberInfoChanged: try describeMember(event, &rows, &changes)
        case .conversationRead: try choose(.mark, 0, nil, event, &rows, &changes)
        case .conversationDeleted:
            for setting in [Setting.pin, .archive, .mark, .draft] {
                try choose(setting, 0, nil, event, &rows, &changes)
            }
        case .conversationSummaryReceived: try summarise(event, &rows, &changes)
        default: break
        }
    }

    /// A summary in a server's list reports the settings at the time of the server's answer.
    private func summarise(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        typealias Summary = ConversationSummaryReceived
        let told = [
            (Setting.pin, event[Summary.isPinned]), (.mute, event[Summary.isMuted]),
            (.mark, event[Summary.isMarkedUnread]), (.archive, event[Summary.isArchived]),
        ]
        for case (let setting, let value?) in told {
            let chosen = setting == .mute ? event.position.rawValue : 1
            try choose(setting, value == 1 ? chosen : 0, event.serverTime, event, &rows, &changes)
        }
    }

    private func tag(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let time = event[ConversationTagged.time]
        let added = event[ConversationTagged.added]
        for tag in event[ConversationTagged.removed] where !added.contains(where: { $0.hasSameBytes(as: tag) }) {
            try choose(.tag(tag), 0, time, event, &rows, &changes)
        }
        for tag in added { try choose(.tag(tag), 1, time, event, &rows, &changes) }
    }

    private func describeMember(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let user = UserNumber(rawValue: event[MemberInfoChanged.member])
        guard user != .none else { return }
        let time = event[MemberInfoChanged.time]
        let position = event.position.rawValue
        if let nickname = event[MemberInfoChanged.nickname] {
            try choose(.nickname(user), nickname.isEmpty ? 0 : position, time, event, &rows, &changes)
        }
        if let role = event[MemberInfoChanged.role] {
            try choose(.role(user), role == 0 ? 0 : position, time, event, &rows, &changes)
        }
    }

    /// Notes a choice where it takes effect.
    private func choose(
        _ setting: Setting, _ value: UInt64, _ time: Timestamp?, _ event: RecordView, _ rows: inout FoldRows,
        _ changes: inout FoldChanges
    ) throws {
        let key = SettingKey(conversation: event.conversationNumber, setting: setting)
        var row = try rows.snapshot.row(Self.times, key) ?? SettingRow()
        let chosen = event.timeOfChoice(time)
        guard time == nil || (row.time, row.value) < (chosen, value) || row.time == 0 else { return }
        (row.time, row.value) = (chosen, value)
        rows.put(Self.times, key, row)
        changes.settings.append(setting)
    }
}

extension Timestamp {
    /// A day, in milliseconds: a later time in an event counts as one that is a day after the event was recorded.
    package static let greatestLead: Int64 = 86_400_000
}

extension RecordView {
    /// See ``Timestamp/greatestLead``.
    static var greatestLead: UInt64 { UInt64(Timestamp.greatestLead) }

    /// When the choice that the event records was made, in milliseconds since 1970; at least 1.
    ///
    /// - Parameter time: The time that the event names; nil if the choice was made when it was recorded.
    func timeOfChoice(_ time: Timestamp?) -> UInt64 {
        // One wrong reading of the clock raises the times of all later recordings, and must not bar choices made then.
        let clock = min(self[CommonField.clockTime] ?? recordedTime, recordedTime)
        let recorded = UInt64(clamping: clock.milliseconds)
        guard let time else { return max(1, recorded) }
        // A clock that is far ahead must not bar every later choice.
        return max(1, min(UInt64(clamping: time.milliseconds), recorded &+ Self.greatestLead))
    }
}
