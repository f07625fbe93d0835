internal import MessageStore

/// A boolean of a conversation. Every display of conversations takes its booleans from ``all``: lists, JSON,
/// conditions, `why`, `diff --with` and the page.
struct ConversationFlag: Sendable {
    /// The name in JSON and conditions, such as `mentionsOnly`.
    let name: String
    /// The mark that lists show if it is true; nil for flags that lists do not show.
    let mark: String?
    let value: @Sendable (Conversation) -> Bool

    init(_ name: String, mark: String? = nil, _ value: @escaping @Sendable (Conversation) -> Bool) {
        (self.name, self.mark, self.value) = (name, mark, value)
    }

    static let all = [
        ConversationFlag("pinned", mark: "^") { $0.isPinned },
        ConversationFlag("muted", mark: "-") { $0.isMuted },
        ConversationFlag("mentionsOnly", mark: "@") { $0.notificationLevel == .mentionsOnly },
        ConversationFlag("archived", mark: "a") { $0.isArchived },
        ConversationFlag("listed") { !$0.isHidden && $0.key.kind != .chatRoom && $0.activity != nil },
        ConversationFlag("deletedFromList") { $0.isHidden },
        ConversationFlag("outOfDate") { $0.isOutdated },
    ]

    /// The name in words, such as `mentions only`.
    var words: String { name.reduce("") { $0 + ($1.isUppercase ? " \($1.lowercased())" : "\($1)") } }

    /// The flags that lists show of a conversation.
    static func marked(_ conversation: Conversation) -> [ConversationFlag] {
        all.filter { $0.mark != nil && $0.value(conversation) }
    }

    /// The meanings of the marks in lists.
    static let legend = all.compactMap { flag in flag.mark.map { "\($0) \(flag.words)" } }.joined(separator: ", ")
}
