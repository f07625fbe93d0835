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

    /// The reactions and edits among these events, as they were recorded before. Costs one pass over those of the room,
    /// the newest first, which ends when all are found.
    func changes(_ ids: Set<String>, in room: ConversationKey) throws -> [String: any EventPayload] {
        var left: [EventID: String] = [:]
        for id in ids { for part in ["reaction", "edit"] { left[EventID("\(room.id) \(id) \(part)")] = id } }
        var found: [String: any EventPayload] = [:]
        guard !ids.isEmpty else { return found }
        let filter = EventFilter(types: [.reactionAdded, .messageModified], conversation: room)
        try store.forEachEvent(order: .descending, where: filter) { recorded in
            if let id = recorded.event.id.flatMap({ left[$0] }) { found[id] = recorded.event.payload }
            return found.count < ids.count
        }
        return found
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

    /// The content of a message once an edit of it is redacted: that of the last version before it whose own edit was not
    /// redacted, by the log or now; nil where the message does not show the edit.
    func content(without edit: MessageModified, _ redacted: Set<String>, in room: ConversationKey) throws
        -> MessageContent?
    {
        var ids = Set(redacted.map { EventID("\(room.id) \($0) edit") })
        let recalls = EventFilter(types: [.messageRecalled], conversation: room)
        try store.forEachEvent(where: recalls) { recorded in
            if case .server(let id)? = (recorded.event.payload as? MessageRecalled)?.message {
                ids.insert(EventID("\(room.id) \(id) edit"))
            }
            return true
        }
        return try store.read { [ids] views in
            let versions = try views.edits(of: edit.message, in: room, limit: 1000).elements
            guard versions.last?.content == edit.content else { return nil }
            let gone = try versions.filter { version in
                try views.event(at: version.position)?.event.id.map(ids.contains) == true
            }
            return versions.last { version in
                version.time < edit.time && version.content != edit.content
                    && !gone.contains { $0.content == version.content }
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
