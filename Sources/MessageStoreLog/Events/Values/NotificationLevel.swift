/// Which messages of a conversation notify, and count for the badge.
public enum NotificationLevel: UInt8, Sendable, Hashable, CaseIterable {
    /// All of them.
    case all = 0
    /// Those that mention this account, by name or as one of all.
    case mentionsOnly = 1
    /// None: the conversation is muted.
    case nothing = 2
}
