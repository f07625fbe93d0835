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
    /// The sender's name: the one to show where that is known, else the one that came with the message, else the id.
    public let senderName: String
    /// Whether this account sent it.
    public let isOutgoing: Bool
    /// When it was sent.
    public let time: Timestamp

    /// Creates a context, for tests.
    public init(
        id: LocalMessageID, serverID: ServerMessageID? = nil, conversation: ConversationKey, sender: UserID,
        senderName: String? = nil, isOutgoing: Bool = false, time: Timestamp
    ) {
        self.id = id
        self.serverID = serverID
        self.conversation = conversation
        self.sender = sender
        self.senderName = senderName ?? sender.rawValue
        self.isOutgoing = isOutgoing
        self.time = time
    }

    /// The context of a conversation's last message.
    public init(_ message: MessagePreview) {
        self.init(
            id: message.id, serverID: message.serverID, conversation: message.conversation, sender: message.sender,
            senderName: message.senderName, isOutgoing: message.isOutgoing, time: message.time)
    }

    /// The context of a message of a timeline.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - senderName: The name to show, as `Views.senderName(of:)` gives it; nil for the one that came with the
    ///     message.
    public init(_ message: Message, senderName: String? = nil) {
        self.init(
            id: message.id, serverID: message.serverID, conversation: message.conversation, sender: message.sender,
            senderName: senderName ?? message.senderProfile?.name, isOutgoing: message.isOutgoing, time: message.time)
    }
}
