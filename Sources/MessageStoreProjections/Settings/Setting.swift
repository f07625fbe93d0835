/// What people choose for a conversation, a member or the list, on any of their devices.
struct Setting: Hashable {
    var kind = Kind.pin
    /// The bytes of the tag, or of the folder's id; both are compared by them.
    var id: [UInt8] = []
    /// Whose nickname or role it is.
    var user = UserNumber.none

    static func tag(_ tag: String) -> Setting { Setting(kind: .tag, id: Array(tag.utf8)) }
    /// A folder of the list, which belongs to no conversation; without an id, where the folders begin.
    static func folder(_ id: String = "") -> Setting { Setting(kind: .folder, id: Array(id.utf8)) }
}

/// The key of a row of `settingTimes`.
struct SettingKey: ViewKey {
    var conversation = ConversationNumber.none
    var setting = Setting()

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("setting", &setting.kind)
        switch setting.kind {
        case .tag, .folder: parts.bytes("id", &setting.id, count: nil, .words)
        case .nickname, .role: parts.part("user", &setting.user, .user)
        default: break
        }
    }

    static var forms: [SettingKey] {
        [Setting(), .tag(""), Setting(kind: .nickname)].map { SettingKey(setting: $0) }
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
