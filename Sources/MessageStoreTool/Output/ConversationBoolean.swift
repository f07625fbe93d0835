/// A boolean of a conversation. Every display of conversations takes its booleans from ``all``: lists, JSON,
/// conditions, `why`, `diff --with` and the page.
struct ConversationBoolean: Sendable {
    /// The name in JSON and conditions, such as `mentionsOnly`.
    let name: String
    /// The mark that lists show if it is true; nil for flags that lists do not show.
    let mark: String?
    let value: @Sendable (Conversation) -> Bool

    init(_ name: String, mark: String? = nil, _ value: @escaping @Sendable (Conversation) -> Bool) {
        (self.name, self.mark, self.value) = (name, mark, value)
    }

    static let all = [
        ConversationBoolean("pinned", mark: "^") { $0.isPinned },
        ConversationBoolean("muted", mark: "-") { $0.isMuted },
        ConversationBoolean("mentionsOnly", mark: "@") { $0.notificationLevel == .mentionsOnly },
        ConversationBoolean("archived", mark: "a") { $0.isArchived },
        ConversationBoolean("listed") { !$0.isHidden && $0.key.kind != .chatRoom && $0.activity != nil },
        ConversationBoolean("deletedFromList") { $0.isHidden },
        ConversationBoolean("outOfDate") { $0.isOutdated },
    ]

    /// The name in words, such as `mentions only`.
    var words: String { name.reduce("") { $0 + ($1.isUppercase ? " \($1.lowercased())" : "\($1)") } }

    /// The flags that lists show of a conversation.
    static func marked(_ conversation: Conversation) -> [ConversationBoolean] {
        all.filter { $0.mark != nil && $0.value(conversation) }
    }

    /// The meanings of the marks in lists.
    static let legend = all.compactMap { flag in flag.mark.map { "\($0) \(flag.words)" } }.joined(separator: ", ")
}
