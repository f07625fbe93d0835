internal import MessageStore

/// The messages that were received lately, by what makes another look like the same one.
struct ReceivedMessages {
    /// An earlier message that seems to be the same as one.
    enum Earlier {
        /// In the same conversation under another id: sender, time and content are equal.
        case inConversation(Position)
        /// In another conversation under the same id: sender and time are equal. An id alone may count within its conversation.
        case inOther(Position)
    }

    private struct Content: Hashable {
        let conversation: ConversationKey?
        let sender: UserID
        let time: Timestamp
        let content: MessageContent
    }

    private struct Name: Hashable {
        let id: ServerMessageID
        let sender: UserID
        let time: Timestamp
    }

    /// Messages that are always remembered by their content, and by their ids.
    static let (contents, names) = (1 << 17, 3 << 17)

    private var byContent = RecentValues<Position>(capacity: contents)
    private var byName = RecentValues<Position>(capacity: names)

    /// Enters a message; answers with an earlier one that seems to be the same, or nil.
    mutating func insert(_ message: MessageReceived, in conversation: ConversationKey?, at position: Position)
        -> Earlier?
    {
        let content = Content(
            conversation: conversation, sender: message.sender, time: message.sentTime, content: message.content)
        if let first = byContent[content] { return .inConversation(first) }
        byContent[content] = position
        let name = Name(id: message.serverID, sender: message.sender, time: message.sentTime)
        // In its own conversation the id would have made it the same message.
        if let first = byName[name] { return .inOther(first) }
        byName[name] = position
        return nil
    }
}
