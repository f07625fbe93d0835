/// The messages that were received lately, by what makes another look like the same one.
struct ReceivedMessages {
    /// An earlier message that seems to be the same as one.
    enum Earlier {
        /// In the same conversation under another id: sender, time and content are equal.
        case inConversation(Position)
        /// In another conversation under the same id: sender, time and content are equal, too, since an id alone may
        /// count within its conversation.
        case inOther(Position)
    }

    private struct Content: Hashable {
        let sender: UserID
        let time: Timestamp
        let content: MessageContent
    }

    private struct Placed: Hashable {
        let content: Int
        let conversation: ConversationKey?
    }

    private struct Named: Hashable {
        let content: Int
        let id: ServerMessageID
    }

    /// Messages that are always remembered by their content, and by their ids.
    static let (contents, names) = (1 << 17, 3 << 17)

    private var byContent = RecentValues<Position>(capacity: contents)
    private var byName = RecentValues<Position>(capacity: names)

    /// The messages that were entered.
    private(set) var count = 0

    /// Enters a message; answers with an earlier one that seems to be the same, or nil.
    mutating func insert(_ message: MessageReceived, in conversation: ConversationKey?, at position: Position)
        -> Earlier?
    {
        count += 1
        let content = Content(sender: message.sender, time: message.sentTime, content: message.content).hashValue
        let placed = Placed(content: content, conversation: conversation).hashValue
        if let first = byContent[placed] { return .inConversation(first) }
        byContent[placed] = position
        let named = Named(content: content, id: message.serverID).hashValue
        // In its own conversation the id would have made it the same message.
        if let first = byName[named] { return .inOther(first) }
        byName[named] = position
        return nil
    }
}
