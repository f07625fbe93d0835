/// A message as it arrived, or a sign of life that is never recorded.
public struct Delivery: Sendable, Hashable {
    /// What is told.
    public enum Payload: Sendable, Hashable {
        /// A message arrived. The position is nil where its policy says that it is not kept.
        case message(Event, position: Position?)
        /// Something that is told and forgotten.
        case notice(EphemeralNotice)
    }

    /// What is told.
    public let payload: Payload
    /// Where it happened.
    public let conversation: ConversationKey
    /// How many messages of the same package or batch are delivered after this one; 0 is the moment to refresh.
    public let remaining: Int

    /// Puts a delivery together, for previews and tests.
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

/// Something of the moment: told to whoever listens, never recorded.
public enum EphemeralNotice: Sendable, Hashable {
    /// A user is typing.
    case typing(UserID)
    /// How much of a message's file is sent, from 0 to 1.
    case uploadProgress(LocalMessageID, fraction: Double)
    /// How many users a chat room has now.
    case onlineCount(Int)
}
