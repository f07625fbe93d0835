/// A message as it arrived, or a notice that is never recorded.
public struct Delivery: Sendable, Hashable {
    /// The delivered message or notice.
    public enum Payload: Sendable, Hashable {
        /// A message arrived. The position is nil where its policy says that it is not stored.
        case message(Event, position: Position?)
        /// A notice that is not stored.
        case notice(EphemeralNotice)
    }

    /// The delivered message or notice.
    public let payload: Payload
    /// Where it happened.
    public let conversation: ConversationKey
    /// How many messages of the same package or batch are delivered after this one; 0 is the moment to refresh.
    public let remaining: Int

    /// Creates a delivery, for previews and tests.
    public init(_ payload: Payload, in conversation: ConversationKey, remaining: Int = 0) {
        self.payload = payload
        self.conversation = conversation
        self.remaining = remaining
    }

    /// Whether the store keeps nothing of it.
    public var isTransient: Bool {
        if case .message(_, .some) = payload { return false }
        return true
    }
}

/// A short-lived notice, delivered to current listeners and never recorded.
public enum EphemeralNotice: Sendable, Hashable {
    /// A user is typing.
    case typing(UserID)
    /// How much of a message's file is sent, from 0 to 1.
    case uploadProgress(LocalMessageID, fraction: Double)
    /// How many users a chat room has now.
    case onlineCount(Int)
}
