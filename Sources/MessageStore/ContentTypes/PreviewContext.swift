/// The message of which a host's hook makes a line, such as "Tom recalled a message".
public struct PreviewContext: Sendable, Hashable {
    /// The message.
    public let id: LocalMessageID
    /// The server's id of it; nil while a sent message is not acknowledged.
    public let serverID: ServerMessageID?
    /// Its conversation.
    public let conversation: ConversationKey
    /// Who sent it.
    public let sender: UserID
    /// Whether this account sent it.
    public let isOutgoing: Bool
    /// When it was sent.
    public let time: Timestamp

    /// Creates a context, for tests.
    public init(
        id: LocalMessageID, serverID: ServerMessageID? = nil, conversation: ConversationKey, sender: UserID,
        isOutgoing: Bool = false, time: Timestamp
    ) {
        self.id = id
        self.serverID = serverID
        self.conversation = conversation
        self.sender = sender
        self.isOutgoing = isOutgoing
        self.time = time
    }

    /// The context of a conversation's last message.
    public init(_ message: MessagePreview) {
        self.init(
            id: message.id, serverID: message.serverID, conversation: message.conversation, sender: message.sender,
            isOutgoing: message.isOutgoing, time: message.time)
    }

    /// The context of a message of a timeline.
    public init(_ message: Message) {
        self.init(
            id: message.id, serverID: message.serverID, conversation: message.conversation, sender: message.sender,
            isOutgoing: message.isOutgoing, time: message.time)
    }
}
