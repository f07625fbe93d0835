import MessageStore
import Testing

/// The store under Spider-lib's manager. `SPMessage` stands for the SDK's class.
final class SpiderEmbedding {
    struct SPMessage {
        var uniqueId = ""
        var sessionId = ""
        var sessionType = 1
        var senderId = ""
        var messageType = "SP:TxtMsg"
        var profile = 2
        var sentTime: Int64 = 0
        var payload: [UInt8] = []
    }

    let store: MessageStore
    private var collector = PackageCollector()

    init(directory: String, uid: String) throws {
        store = try MessageStore.open(directory, account: UserID(uid))
    }

    private func session(_ message: SPMessage) -> ConversationKey? {
        ConversationKind(spider: message.sessionType).map { ConversationKey($0, message.sessionId) }
    }

    func onReceived(_ message: SPMessage, left: Int, object: Any?) throws {
        guard let session = session(message), let policy = MessagePolicy(persistFlag: message.profile) else { return }
        let body = MessageReceived(
            serverID: ServerMessageID(message.uniqueId), sender: UserID(message.senderId),
            sentTime: Timestamp(milliseconds: message.sentTime),
            content: MessageContent(type: ContentType(message.messageType), data: message.payload), policy: policy)
        let collected = collector.add(Event(body, in: session), left: left)
        if let live = collected.live { try store.record(live) }
        if let package = collected.package { try store.ingest(package) }
        if collected.isSyncComplete { try store.record(Event(OfflineSyncCompleted(), origin: .offline)) }
    }

    /// Answers with the local id at once; the transport calls back with the server's id or an error.
    func sendMessage(_ message: SPMessage, transport: (LocalMessageID) -> Result<String, any Error>) throws -> UInt64? {
        guard let session = session(message) else { return nil }
        let content = MessageContent(type: ContentType(message.messageType), data: message.payload)
        let local = try store.enqueue(MessageSendQueued(content: content), to: session)
        switch transport(local) {
        case .success(let uniqueId):
            // Spider tells no time with the success; the next copy of the message does.
            try store.record(.sent(local, as: ServerMessageID(uniqueId), in: session))
        case .failure:
            try store.record(Event(MessageSendFailed(message: local, code: -1), in: session))
        }
        return local.rawValue
    }

    func onDisconnect(_ code: Int32, describe: String) throws {
        try store.record(Event(SessionStateChanged(.disconnected, code: code, text: describe)))
    }

    func getUnreadCount(_ sessionTypes: [Int]) throws -> Int {
        let kinds = Set(sessionTypes.compactMap { ConversationKind(spider: $0) })
        return try store.read { try $0.unreadTotals(kinds: kinds, includesMuted: true) }.messages
    }
}

@Suite("Examples: Spider")
struct SpiderEmbeddingTests {
    @Test("the example receives, sends and counts")
    func runs() throws {
        let place = try TemporaryStore()
        let embedding = try SpiderEmbedding(directory: place.path, uid: "me")
        var message = SpiderEmbedding.SPMessage(uniqueId: "u1", sessionId: "bob", senderId: "bob", sentTime: 1)
        try embedding.onReceived(message, left: 0, object: nil)
        #expect(try embedding.getUnreadCount([1, 2]) == 1)
        for left in [2, 1, 0] {
            message.uniqueId = "package\(left)"
            try embedding.onReceived(message, left: left, object: nil)
            #expect(try embedding.getUnreadCount([1, 2]) == (left == 0 ? 4 : 1), "a package is recorded as a whole")
        }
        message.payload = [1, 2, 3]
        let local = try #require(try embedding.sendMessage(message, transport: { _ in .success("u2") }))
        #expect(try embedding.store.message(LocalMessageID(local))?.serverID == "u2")
        #expect(try embedding.store.message(LocalMessageID(local))?.isTimeProvisional == true)
        message = SpiderEmbedding.SPMessage(uniqueId: "u2", sessionId: "bob", senderId: "me", sentTime: 7)
        try embedding.onReceived(message, left: 0, object: nil)
        #expect(try embedding.store.message(LocalMessageID(local))?.time == ms(7))
        try embedding.onDisconnect(1006, describe: "断开")
        #expect(try embedding.store.read { try $0.session() }?.state == .disconnected)
        try embedding.store.close()
    }
}
