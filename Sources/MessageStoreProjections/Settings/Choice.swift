/// A setting with the value that somebody chose for it.
enum Choice {
    case flag(ConversationFlag, Bool)
    case muting(Muting)
    /// The event that holds the draft, and when it was written; 0 where there is none.
    case draft(position: UInt64, time: UInt64)
    case tag(String, Bool)
    case folder(String, Bool)
    case nickname(UserNumber, String)
    case role(UserNumber, UInt8)
    case timer(MessageTimer)

    static let noDraft = Choice.draft(position: 0, time: 0)

    var setting: Setting {
        switch self {
        case .flag(let flag, _): Setting(kind: flag.setting)
        case .muting: Setting(kind: .mute)
        case .draft: Setting(kind: .draft)
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
        case .folder(_, let isThere): isThere ? position : 0
        case .nickname(_, let nickname): nickname.isEmpty ? 0 : position
        case .role(_, let role): role == 0 ? 0 : position
        case .timer(let timer): timer.seconds == 0 ? 0 : position
        }
    }
}
