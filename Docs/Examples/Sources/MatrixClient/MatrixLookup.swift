import MessageStore

/// What the store knows of the events that a change to be sent is about.
struct MatrixLookup {
    let store: MessageStore

    /// The id on the server of a user's reaction to a message.
    func reaction(_ key: String, to message: ServerMessageID, by user: UserID, in room: ConversationKey) throws
        -> String?
    {
        var found: EventID?
        let filter = EventFilter(types: [.reactionAdded], conversation: room)
        try store.forEachEvent(order: .descending, where: filter) { recorded in
            guard let reaction = recorded.event.payload as? ReactionAdded, recorded.event.origin != .local,
                reaction.message == .server(message), reaction.key == key, reaction.user == user
            else { return true }
            found = recorded.event.id
            return found == nil
        }
        // The id is `ROOM EVENT reaction`.
        return found?.rawValue.split(separator: " ").dropFirst().first.map(String.init)
    }
}
