import MessageStore

/// What the user does: it is recorded and shown at once, with or without a network, and sent by ``sendWaiting()``.
extension MatrixClient {
    /// Queues a message.
    @discardableResult
    public nonisolated func send(_ text: String, to room: ConversationKey) async throws -> LocalMessageID {
        try await store.send(.text(text), to: room)
    }

    /// Replaces the text of a message of this account.
    public nonisolated func edit(_ message: Message, to text: String) async throws {
        // Just after the version that it replaces: a time of this device's clock might hide an edit that another device makes later.
        let versions = try await store.read { views in
            try views.edits(of: .local(message.id), in: message.conversation, limit: 1000).elements
        }
        let time = Timestamp(milliseconds: (versions.last?.time ?? message.time).milliseconds + 1)
        let edit = MessageModified(.local(message.id), content: .text(text), at: time)
        try await record(edit, in: message.conversation)
    }

    /// Takes a message back for everyone.
    public nonisolated func redact(_ message: Message, reason: String? = nil) async throws {
        try await record(
            MessageRecalled(.local(message.id), by: store.account, reason: reason), in: message.conversation)
    }

    /// Adds a reaction, or takes it back where this account gave it before.
    public nonisolated func react(_ key: String, to message: Message) async throws {
        guard let id = message.serverID else { return }
        let (target, room, user) = (MessageReference.server(id), message.conversation, store.account)
        let isGiven = try await store.read { views in
            try views.reactions(to: target, in: room).contains { $0.key == key && $0.users.contains(user) }
        }
        if isGiven {
            try await record(ReactionRemoved(target, key: key, by: user, at: .now), in: room)
        } else {
            try await record(ReactionAdded(target, key: key, by: user, at: .now), in: room)
        }
    }

    /// Marks a room as read up to its newest message.
    public nonisolated func markRead(_ room: ConversationKey) async throws {
        let messages = try await store.read { try $0.timeline(of: room, limit: 50).elements }
        guard let last = messages.last(where: { $0.serverID != nil && !$0.isTimeProvisional }) else { return }
        let place = MessageOrder(time: last.time, id: last.serverID)
        guard try await store.read({ try $0.unread(of: room).readUpTo.map { $0 < place } ?? true }) else { return }
        try await record(ConversationRead(upTo: place), in: room)
    }

    /// The messages before a message, from the server where the store has a gap; the newest ones without a message.
    public nonisolated func history(
        of room: ConversationKey, before message: Message? = nil, limit: Int = 20
    ) async throws -> TimelinePage {
        let part = message.map { TimelinePart.before(.message(.local($0.id))) } ?? .latest
        return try await store.history(of: room, part, limit: limit)
    }

    /// Joins a room by its id or alias, which needs the network.
    public nonisolated func join(_ room: String) async throws -> ConversationKey { .id(try await server.join(room)) }

    /// Creates a private room, which needs the network.
    public nonisolated func createRoom(named name: String, inviting users: [String]) async throws -> ConversationKey {
        .id(try await server.createRoom(name: name, inviting: users))
    }

    /// The event's id is the transaction id with which it is sent.
    private nonisolated func record(_ change: any ConversationPayload, in room: ConversationKey) async throws {
        let id = EventID(ClientToken.unique().rawValue)
        try await store.record(Event(change, in: room, id: id).awaitingServer())
    }
}
