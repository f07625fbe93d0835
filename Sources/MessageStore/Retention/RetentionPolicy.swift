/// How much of the conversations' histories a store keeps.
///
/// ```swift
/// var policy = RetentionPolicy()
/// policy.standard = .init(age: .seconds(365 * 86_400), messages: 50_000, lowWaterMark: 45_000)
/// policy.conversations[.group("announcements")] = .unlimited
/// let report = try store.retain(policy)
/// ```
///
/// The oldest messages of a conversation go first: a `HistoryCleared` with `erases` and `isRetention` removes them from
/// all answers at once, and `compact(progress:)` removes their records. Unread messages, starred and pinned
/// ones, and ones that the server has yet to accept stay.
public struct RetentionPolicy: Sendable, Hashable {
    /// Limits of one conversation; nil for no limit.
    public struct Limits: Sendable, Hashable {
        /// Messages that were sent longer ago go, by the server's time; one without a time goes only with a later one.
        public var age: Duration?
        /// If a conversation has more messages, the oldest go. Those that stay because they are starred or pinned do not count.
        public var messages: Int?
        /// How many are left then; nil for as many as ``messages``. A lower number means that a conversation that grows
        /// is cleared less often.
        public var lowWaterMark: Int?

        /// Creates limits.
        public init(age: Duration? = nil, messages: Int? = nil, lowWaterMark: Int? = nil) {
            self.age = age
            self.messages = messages
            self.lowWaterMark = lowWaterMark
        }

        /// Everything is kept.
        public static let unlimited = Limits()
    }

    /// The limits of conversations that have none of their own.
    public var standard = Limits.unlimited
    /// The limits of some conversations.
    public var conversations: [ConversationKey: Limits] = [:]
    /// Whether messages go that count as unread, too; they count no longer then.
    public var includesUnread = false
    /// Whether messages go that are starred or pinned, too. Without it a star or a pin keeps its message alone, and not
    /// the newer ones; where it is taken away, the message goes the next time.
    public var includesMarked = false

    /// A policy that keeps everything.
    public init() {}

    /// - Throws: `StoreError` with code `invalidArgument` where the policy contradicts itself.
    func check() throws {
        for limits in [standard] + conversations.values {
            if let age = limits.age, age <= .zero {
                throw StoreError(.invalidArgument, "messages are to be kept for \(age): more than nothing is needed")
            }
            if let messages = limits.messages, messages < 1 {
                throw StoreError(.invalidArgument, "at most \(messages) messages are to be kept: at least 1 is needed")
            }
            guard let mark = limits.lowWaterMark else { continue }
            guard let messages = limits.messages else {
                throw StoreError(.invalidArgument, "a low-water mark of \(mark) without a maximum number of messages")
            }
            guard (1...messages).contains(mark) else {
                throw StoreError(
                    .invalidArgument, "a low-water mark of \(mark) is not between 1 and \(messages) messages")
            }
        }
    }
}

/// What a policy of retention clears.
public struct RetentionReport: Sendable, Hashable {
    /// For each conversation in which messages go, how many.
    public let messages: [ConversationKey: Int]
    /// How many more messages would go if the policy included unread ones: those, and the messages newer than the
    /// oldest of them in its conversation.
    public let keptAsUnread: Int
    /// How many messages stay for a star or a pin alone.
    public let keptAsMarked: Int
    /// How many messages go.
    public var messageCount: Int { messages.values.reduce(0, +) }
}
