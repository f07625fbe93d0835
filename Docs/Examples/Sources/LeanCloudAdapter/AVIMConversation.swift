import MessageStore

/// A conversation of a client; what is known of it is read from the store.
final class AVIMConversation {
    let key: ConversationKey
    let client: AVIMClient

    init(_ key: ConversationKey, of client: AVIMClient) { (self.key, self.client) = (key, client) }

    var conversationId: String { key.id }
    var transient: Bool { key.kind == .chatRoom }

    private func known() throws -> Conversation? { try client.store().read { try $0.conversation(key) } }

    func name() throws -> String? { try known()?.name }
    /// What kind it is, as far as the client was told.
    func kind() throws -> ConversationKind { try known()?.kind ?? key.kind }
    /// The other one where two people talk.
    func peer() throws -> String? { try known()?.peer?.rawValue }
    func creator() throws -> String? { try known()?.creator?.rawValue }
    func members() throws -> [String] {
        try client.store().read { try $0.members(in: key, limit: 1000).elements.map(\.id.rawValue) }
    }
    /// Where it is in the list.
    func lastActivity() throws -> Timestamp? { try known()?.activity }
    func unread() throws -> Int { try client.store().read { try $0.unread(of: key).messages } }

    func join() throws {
        client.server.add([client.clientId], to: key.id, by: client.clientId)
        if transient {
            try client.store().joinChatRoom(key, at: client.server.script.clock.now)
        } else {
            try client.store().record(.membersAdded([client.store().account], to: key))
        }
    }

    func quit() throws {
        client.server.remove([client.clientId], from: key.id, by: client.clientId)
        if transient {
            try client.store().record(Event(ChatRoomLeft(at: client.server.script.clock.now), in: key))
        } else {
            try client.store().record(.membersRemoved([client.store().account], from: key))
        }
    }

    func addMembersWithClientIds(_ clientIds: [String]) throws {
        client.server.add(clientIds, to: key.id, by: client.clientId)
        try client.receive()
    }

    func removeMembersWithClientIds(_ clientIds: [String]) throws {
        client.server.remove(clientIds, from: key.id, by: client.clientId)
        try client.receive()
    }

    func mute() throws { try client.store().record(.muted(in: key)) }
    func unmute() throws { try client.store().record(.muted(false, in: key)) }

    /// The user looked at it.
    func read() throws { try client.store().record(.read(in: key)) }

    /// How many are in a chat room; told to who listens, and not stored.
    func countMembers() throws -> Int {
        let count = client.server.find(key.id)?.members.count ?? 0
        try client.store().publish(.onlineCount(count), in: key)
        return count
    }

    /// The newest messages, from the service where the store may lack some.
    ///
    /// - Parameter limit: 1 to 1000.
    func queryMessagesWithLimit(_ limit: Int = 20) async throws -> [AVIMMessage] {
        try await history(.latest, limit)
    }

    func queryMessagesBeforeId(_ messageId: String, timestamp: Int64, limit: Int = 20) async throws -> [AVIMMessage] {
        let order = MessageOrder(time: Timestamp(milliseconds: timestamp), id: ServerMessageID(messageId))
        return try await history(.before(.order(order)), limit)
    }

    private func history(_ part: TimelinePart, _ limit: Int) async throws -> [AVIMMessage] {
        let store = try client.store()
        let page = try await store.history(of: key, part, limit: limit)
        return page.elements.map { AVIMMessage.make($0, types: store.contentTypes) }
    }
}
