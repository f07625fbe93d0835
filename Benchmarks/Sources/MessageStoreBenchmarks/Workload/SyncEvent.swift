/// One delivery of a backlog, free of any peer's types; conversations and users are ordinals of the backlog's tables.
struct SyncEvent {
    /// What happened.
    enum Kind: UInt8 {
        case text
        case joined
        case left
    }

    var conversation: Int32
    var sender: Int32
    var kind: Kind
    /// Whether the account itself wrote it, on another device; such messages are never unread.
    var isOwn: Bool
    var timeMs: Int64
    var id: String
    var text: String
}
