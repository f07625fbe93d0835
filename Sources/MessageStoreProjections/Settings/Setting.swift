@_spi(Storage) internal import MessageStoreLog

/// What people choose for a conversation, and several devices tell of.
enum Setting: Hashable {
    case pin, mute, mark, draft, archive
    /// The bytes of the tag, by which tags are compared.
    case tag([UInt8])
    case nickname(UserNumber)
    case role(UserNumber)
    /// The bytes of a folder's id; it is of no conversation.
    case folder([UInt8])

    /// The number in keys.
    private var number: UInt8 {
        switch self {
        case .pin: 1
        case .mute: 2
        case .mark: 3
        case .draft: 4
        case .tag: 5
        case .nickname: 6
        case .role: 7
        case .archive: 8
        case .folder: Self.folderNumber
        }
    }

    private static let folderNumber: UInt8 = 9

    /// The settings of the numbers, for people.
    static let names: [UInt8: String] = [
        1: "pin", 2: "mute", 3: "mark", 4: "draft", 5: "tag", 6: "nickname", 7: "role", 8: "archive", 9: "folder",
    ]
    /// The beginning of the keys of all folders.
    static let folders = RowKey.number(ConversationNumber.none) + [folderNumber]

    /// The key of the setting's row.
    func key(in conversation: ConversationNumber) -> [UInt8] {
        let key = RowKey.number(conversation) + [number]
        return switch self {
        case .tag(let tag): key + tag
        case .folder(let id): key + id
        case .nickname(let user), .role(let user): key + RowKey.number(user)
        default: key
        }
    }
}

/// A row of `settingTimes`: when a setting was last chosen, and what.
struct SettingRow: ViewRow {
    /// In milliseconds since 1970; at least 1.
    var time: UInt64 = 0
    /// Decides between two choices of one time: 0 for what is taken away, else 1 or the position of the event.
    var value: UInt64 = 0

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("time", &time, .time)
        parts.part("value", &value)
    }
}
