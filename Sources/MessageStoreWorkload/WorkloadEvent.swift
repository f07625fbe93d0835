/// Whether a conversation is between two people or more.
public enum WorkloadConversationKind: Sendable, Equatable {
    /// The account and one other user.
    case single
    /// The account and any number of users.
    case group
}

/// One event of a synthetic workload, in the order in which a server would deliver it.
public struct WorkloadEvent: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// `sender` wrote `text`.
        case text
        /// `sender` became a member of the conversation again.
        case memberJoined
        /// `sender` left the conversation.
        case memberLeft
    }

    /// The ordinal of the delivery, from 0.
    public var index: Int
    /// The conversation, `0 ..< conversations`; low numbers are the busy ones.
    public var conversation: Int
    /// Whether the conversation is between two people.
    public var conversationKind: WorkloadConversationKind
    /// What happened.
    public var kind: Kind
    /// The user who did it, `0 ..< users`; 0 is the account itself, writing on another of its devices.
    public var sender: Int
    /// When the sender did it, in milliseconds since 1970. Sometimes less than that of the previous event.
    public var timeMs: Int64
    /// The id the server gave, unique but for repeated deliveries.
    public var serverID: String
    /// The text that was written; empty for joins and leaves.
    public var text: String
    /// The index of the first delivery if this event was delivered before, else nil. All but the index is the same.
    public var duplicateOf: Int?

    /// Whether the account itself is the sender.
    public var isOwn: Bool { sender == WorkloadDirectory.account }
}
