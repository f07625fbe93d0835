import MessageStore
import Testing

/// The store under LeanCloud's `AVIMClientDelegate`. `AVIMTypedMessage` stands for the SDK's class.
final class LeanCloudEmbedding {
    struct AVIMTypedMessage {
        var messageId = ""
        var clientId = ""
        var sendTimestamp: Int64 = 0
        var mediaType = -1
        var text: String?
        var attributes: [UInt8] = []
    }

    let store: MessageStore

    init(directory: String, clientId: String) throws {
        store = try AccountStores(at: directory).open(UserID(clientId))
    }

    private func record(_ body: any EventPayload, in conversation: String) throws {
        try store.record(Event(body, in: .id(conversation), origin: .live))
    }

    func conversation(_ id: String, didReceiveTypedMessage message: AVIMTypedMessage) throws {
        let type = TypeNamespace.leanCloud.type(for: message.mediaType)
        let body = MessageReceived(
            serverID: ServerMessageID(message.messageId), sender: UserID(message.clientId),
            sentTime: Timestamp(milliseconds: message.sendTimestamp),
            content: MessageContent(type: type, text: message.text, attributes: message.attributes))
        try record(body, in: id)
    }

    func conversation(_ id: String, messageDelivered messageId: String, at time: Int64) throws {
        let delivered = MessageDelivered(
            .messages([.server(ServerMessageID(messageId))]), at: Timestamp(milliseconds: time))
        try record(delivered, in: id)
    }

    func conversation(_ id: String, membersAdded clientIds: [String], byClientId actor: String) throws {
        try record(MembersAdded(clientIds.map { UserID($0) }, kind: .invited, by: UserID(actor)), in: id)
    }

    func conversation(_ id: String, membersRemoved clientIds: [String], byClientId actor: String) throws {
        try record(
            MembersRemoved(clientIds.map { UserID($0) }, kind: .kicked, by: UserID(actor)), in: id)
    }

    func conversation(_ id: String, invitedByClientId actor: String) throws {
        try record(SelfInvited(by: UserID(actor)), in: id)
    }

    func conversation(_ id: String, kickedByClientId actor: String) throws {
        try record(SelfKicked(by: UserID(actor)), in: id)
    }

    /// Unread mode: the server tells a number and nothing else.
    func conversation(_ id: String, didReceiveUnread count: UInt32) throws {
        try record(UnreadCountReported(count), in: id)
    }
}

@Suite("Examples: LeanCloud")
struct LeanCloudEmbeddingTests {
    @Test("the example follows an invitation, a message, a number and a kick")
    func runs() throws {
        let place = try TemporaryStore()
        let embedding = try LeanCloudEmbedding(directory: place.directory, clientId: "Jerry")
        let store = embedding.store
        try embedding.conversation("c", invitedByClientId: "Tom")
        try embedding.conversation("c", membersAdded: ["Jerry", "Tom"], byClientId: "Tom")
        let message = LeanCloudEmbedding.AVIMTypedMessage(
            messageId: "m", clientId: "Tom", sendTimestamp: 5, text: "耗子，起床！")
        try embedding.conversation("c", didReceiveTypedMessage: message)
        #expect(try store.texts(of: .id("c")) == ["耗子，起床！"] && store.members(of: .id("c")).count == 2)
        try embedding.conversation("c", didReceiveUnread: 9)
        #expect(try store.unread(.id("c")).messages == 9)
        try embedding.conversation("c", kickedByClientId: "Tom")
        #expect(try store.read { try $0.canSend(in: .id("c")) } == false)
        try store.close()
    }
}
