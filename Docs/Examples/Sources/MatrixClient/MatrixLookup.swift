import MessageStore

/// What the store knows of the events that a new one is about.
struct MatrixLookup {
    let store: MessageStore

    /// A message that was received or sent before.
    func message(_ id: String, in room: ConversationKey) throws -> (sender: UserID, place: MessageOrder)? {
        try store.read { views in
            try views.message(.server(ServerMessageID(id)), in: room).map { message in
                (message.sender, MessageOrder(time: message.time, id: message.serverID))
            }
        }
    }

    /// A reaction or an edit that was recorded before, by its own event's id: the newest first, so that it is found soon.
    func change(_ id: String, in room: ConversationKey) throws -> (any EventPayload)? {
        let ids = [EventID("\(room.id) \(id) reaction"), EventID("\(room.id) \(id) edit")]
        return try last(of: [.reactionAdded, .messageModified], in: room) { event in
            event.id.map(ids.contains) == true
        }?.payload
    }

    /// The id on the server of a user's reaction to a message.
    func reaction(_ key: String, to message: ServerMessageID, by user: UserID, in room: ConversationKey) throws
        -> String?
    {
        let event = try last(of: [.reactionAdded], in: room) { event in
            guard let reaction = event.payload as? ReactionAdded, event.id != nil, event.origin != .local else {
                return false
            }
            return reaction.message == .server(message) && reaction.key == key && reaction.user == user
        }
        // The id is `ROOM EVENT reaction`.
        return event?.id?.rawValue.split(separator: " ").dropFirst().first.map(String.init)
    }

    /// The content of a message before an edit, and when the message said so first.
    func content(of message: MessageReference, before edit: MessageModified, in room: ConversationKey) throws
        -> MessageContent?
    {
        try store.read { views in
            try views.edits(of: message, in: room, limit: 1000).elements.last { version in
                version.time < edit.time && version.content != edit.content
            }?.content
        }
    }

    /// The kind that a room has.
    func kind(of room: ConversationKey) throws -> ConversationKind? {
        try store.read { try $0.conversation(room)?.kind }
    }

    /// The rooms that are direct.
    func directRooms() throws -> Set<String> {
        let page = try store.read { try $0.conversations(kinds: [.single], archived: .included, limit: 1000) }
        return Set(page.elements.map(\.key.id))
    }

    private func last(
        of types: Set<EventType>, in room: ConversationKey, where isWanted: (Event) -> Bool
    ) throws -> Event? {
        var found: Event?
        try store.forEachEvent(order: .descending, where: EventFilter(types: types, conversation: room)) { recorded in
            if isWanted(recorded.event) { found = recorded.event }
            return found == nil
        }
        return found
    }
}
