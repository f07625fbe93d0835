import AdapterSupport
import MessageStore

/// The document "receiving messages" of RongCloud, from the first connection to the switches of the duplicate check.
package enum RongCloudSample {
    private static let friends = "friends"

    /// Runs it in a store of its own.
    package static func run() async throws -> SampleRun {
        let run = SampleRun("RongCloud: receiving messages")
        let directory = try TemporaryDirectory()
        let server = RongCloudServer()
        let client = RCCoreClient(directory: directory.path, server: server)
        let (listener, other) = (Listener(), Listener())
        client.addReceiveMessageDelegate(listener)
        client.addReceiveMessageDelegate(other)
        try await backlog(run, client, server, listener)
        try live(run, client, server, listener, other)
        try states(run, client, server)
        try repeats(run, client, server, listener)
        run.expect("the views are what the log says", try verify(client), is: true)
        try client.disconnect()
        return run
    }

    private static func verify(_ client: RCCoreClient) throws -> Bool? { try client.store?.verify().isConsistent }

    private static func backlog(
        _ run: SampleRun, _ client: RCCoreClient, _ server: RongCloudServer, _ listener: Listener
    ) async throws {
        run.step("450 messages wait; the connection breaks after the first package of 200")
        server.keep((1...450).map { server.message(.text("hello \($0)")) })
        let store = try client.open(userId: "alice")
        var totals = store.observeUnreadTotals(policy: .onCompletion).makeAsyncIterator()
        run.expect("unread before", try await totals.next()?.messages, is: 0)
        // The third advice: at most one refresh in a window, and one more when all is received.
        var often = store.observeUnreadTotals(policy: .throttled(.milliseconds(50))).makeAsyncIterator()
        var rarely = store.observeUnreadTotals(policy: .throttled(.seconds(600))).makeAsyncIterator()
        _ = (try await often.next(), try await rarely.next())
        server.breaksAfter = 1
        try client.connect(userId: "alice")
        run.expect("heard", listener.messages, is: 200)
        run.expect("completed", listener.completions, is: 0)
        run.expect("a throttled query, at the end of its window", try await often.next()?.messages, is: 200)

        run.step("the next connection brings all packages again")
        try client.connect(userId: "alice")
        run.expect("heard, each once", listener.messages, is: 450)
        run.expect("of them offline", listener.offlineMessages, is: 450)
        run.expect("refreshes by package", listener.refreshesByPackage, is: 3)
        run.expect("refreshes by completion", listener.refreshesByCompletion, is: 1)
        run.expect("onOfflineMessageSyncCompleted", listener.completions, is: 1)
        run.expect("a query that waits for completion goes to", try await totals.next()?.messages, is: 450)
        run.expect("and a throttled one, whose window ends then", try await rarely.next()?.messages, is: 450)

        run.step("a connection with nothing to fetch completes at once")
        try client.connect(userId: "alice")
        run.expect("onOfflineMessageSyncCompleted", listener.completions, is: 2)
        run.expect("heard", listener.messages, is: 450)
    }

    private static func live(
        _ run: SampleRun, _ client: RCCoreClient, _ server: RongCloudServer, _ listener: Listener, _ other: Listener
    ) throws {
        run.step("live messages of all four kinds; one listener left after the first")
        let kinds: [RCConversationType] = [
            .ConversationType_PRIVATE, .ConversationType_GROUP, .ConversationType_CHATROOM, .ConversationType_SYSTEM,
        ]
        for kind in kinds {
            try client.push(server.message(.text("live"), in: "kinds", kind))
            client.removeReceiveMessageDelegate(other)
        }
        run.expect("kinds heard", listener.kinds.map(\.rawValue), is: kinds.map(\.rawValue))
        run.expect("heard by the one that left", other.kinds.map(\.rawValue), is: [1])
    }

    private static func states(_ run: SampleRun, _ client: RCCoreClient, _ server: RongCloudServer) throws {
        run.step("states of a voice message, and of a text")
        let voice = server.message(
            .voice(remoteUrl: "https://example.com/1.aac", duration: 3), in: "bob", .ConversationType_PRIVATE)
        let text = server.message(.text("all right"), in: "bob", .ConversationType_PRIVATE)
        let unknown = server.message(.unknown(objectName: "RC:Star", json: "{}"), in: "bob", .ConversationType_PRIVATE)
        for message in [voice, text, unknown] { try client.push(message) }
        func status(_ message: RCMessage) throws -> RCReceivedStatusInfo? {
            try client.getMessageByUId(message.messageUId, message.conversationType, "bob")?.receivedStatusInfo
        }
        func set(_ message: RCMessage, _ status: RCReceivedStatusInfo, onOtherDevice: Bool = false) throws {
            try client.setMessageReceivedStatus(
                message.messageUId, .ConversationType_PRIVATE, "bob", status, onOtherDevice: onOtherDevice)
        }
        run.expect("unread", try client.getUnreadCount(.ConversationType_PRIVATE, "bob"), is: 3)
        try set(voice, RCReceivedStatusInfo(isDownloaded: true))
        try set(voice, RCReceivedStatusInfo(isRead: true, isListened: true))
        run.expect(
            "listened to", try status(voice),
            is: RCReceivedStatusInfo(isRead: true, isListened: true, isDownloaded: true))
        let all = RCReceivedStatusInfo(isRead: true, isListened: true, isDownloaded: true, isRetrieved: true)
        try set(text, all, onOtherDevice: true)
        run.expect(
            "a text read on another device", try status(text),
            is: RCReceivedStatusInfo(isRead: true, isRetrieved: true))
        run.expect("unread", try client.getUnreadCount(.ConversationType_PRIVATE, "bob"), is: 1)
        run.expect(
            "a type of a later version keeps its content",
            try client.getMessageByUId(unknown.messageUId, .ConversationType_PRIVATE, "bob")?.content,
            is: .unknown(objectName: "RC:Star", json: "{}"))
    }

    private static func repeats(
        _ run: SampleRun, _ client: RCCoreClient, _ server: RongCloudServer, _ listener: Listener
    ) throws {
        run.step("bob's network is weak, and he sends twice; the server gives each a UID")
        for isChecked in [true, false] {
            try client.disconnect()
            client.setCheckDuplicateMessage(!isChecked)
            client.setCheckDuplicateMessage(isChecked)
            try client.connect(userId: "alice")
            let before = listener.messages
            for _ in 1...2 { try client.push(server.message(.text("checked: \(isChecked)"))) }
            let count = try client.texts(.ConversationType_GROUP, friends, count: 5)
                .count { $0 == "checked: \(isChecked)" }
            run.expect(isChecked ? "with the check, shown" : "without it, shown", count, is: isChecked ? 1 : 2)
            run.expect("and heard", listener.messages - before, is: isChecked ? 1 : 2)
        }
        run.step("chat rooms have a switch of their own, which is still on")
        for _ in 1...2 { try client.push(server.message(.text("weak"), in: "live", .ConversationType_CHATROOM)) }
        run.expect("shown", try client.texts(.ConversationType_CHATROOM, "live", count: 5), is: ["weak"])
    }
}
