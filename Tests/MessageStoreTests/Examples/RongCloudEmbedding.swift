import MessageStore
import Testing

/// The store under RongCloud's receiving protocol. `RCMessage` stands for the SDK's class.
final class RongCloudEmbedding {
    struct RCMessage {
        var conversationType = 3
        var targetId = "g1"
        var senderUserId = "bob"
        var messageUId = "uid"
        var sentTime: Int64 = 0
        var objectName = "RC:TxtMsg"
        var text: String?
        /// The bits of `RCReceivedStatus`: 1 read, 2 listened, 4 downloaded, 8 retrieved.
        var receivedStatus: UInt8 = 0
    }

    let store: MessageStore
    private var collector = PackageCollector()

    init(directory: String, userId: String) throws {
        var configuration = MessageStore.Configuration()
        // `setCheckDuplicateMessage:` and `setCheckChatRoomDuplicateMessage:`; the last value before connecting wins.
        configuration.duplicateSuppression.inConversations = true
        configuration.duplicateSuppression.inChatRooms = true
        store = try MessageStore.open(directory, account: UserID(userId), configuration: configuration)
    }

    func onReceived(_ message: RCMessage, left: Int, object: Any?, offline: Bool, hasPackage: Bool) throws {
        guard let kind = ConversationKind(rongCloud: message.conversationType) else { return }
        let body = MessageReceived(
            serverID: ServerMessageID(message.messageUId), sender: UserID(message.senderUserId),
            sentTime: Timestamp(milliseconds: message.sentTime),
            content: MessageContent(type: ContentType(message.objectName), text: message.text),
            flags: MessageFlags(rawValue: message.receivedStatus))
        let event = Event(body, in: ConversationKey(kind, message.targetId))
        let collected = collector.add(event, left: left, isOffline: offline, hasPackage: hasPackage)
        if let live = collected.live { try store.record(live) }
        if let package = collected.package { try store.ingest(package) }
    }

    func onOfflineMessageSyncCompleted() throws {
        try store.record(Event(OfflineSyncCompleted(), origin: .offline))
    }

    func onConnected() throws {
        try store.record([
            Event(SessionStateChanged(.connected)),
            Event(OfflineSyncStarted(), origin: .offline),
        ])
    }

    /// What the conversation list shows, refreshed when a package is in, or once when all is there.
    func conversations(isLargeBacklog: Bool) -> LiveQuery<ConversationPage> {
        store.observeConversations(policy: isLargeBacklog ? .onCompletion : .perPackage)
    }
}

@Suite("Examples: RongCloud")
struct RongCloudEmbeddingTests {
    @Test("the example receives a backlog and a live message")
    func runs() throws {
        let place = try TemporaryStore()
        let embedding = try RongCloudEmbedding(directory: place.path, userId: "me")
        try embedding.onConnected()
        for index in 0..<5 {
            let message = RongCloudEmbedding.RCMessage(
                messageUId: "u\(index)", sentTime: Int64(index + 1), text: "第\(index)条")
            try embedding.onReceived(message, left: 4 - index, object: nil, offline: true, hasPackage: false)
        }
        try embedding.onOfflineMessageSyncCompleted()
        let live = RongCloudEmbedding.RCMessage(messageUId: "live", sentTime: 99, text: "在线")
        try embedding.onReceived(live, left: 0, object: nil, offline: false, hasPackage: false)
        #expect(try embedding.store.unread(.group("g1")).messages == 6)
        let seen = RongCloudEmbedding.RCMessage(messageUId: "seen", sentTime: 100, text: "已读", receivedStatus: 1)
        try embedding.onReceived(seen, left: 0, object: nil, offline: false, hasPackage: false)
        #expect(try embedding.store.unread(.group("g1")).messages == 6, "another device had read it")
        #expect(try embedding.store.page(of: .group("g1")).isContiguous)
        try embedding.store.close()
    }
}
