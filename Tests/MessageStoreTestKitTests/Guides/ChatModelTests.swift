import MessageStore
import MessageStoreObservation
import MessageStoreTestKit
import Testing

// Docs/Testing.md shows code of this file; a test compares them.

private let friends = ConversationKey.group("friends")

@Suite("Docs/ChatScreen.md: the models", .timeLimit(.minutes(30)))
@MainActor
struct ChatModelTests {
    @Test("the list and the badge follow")
    func list() async throws {
        let place = try TemporaryStore()
        let store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
        let model = ListModel(store)
        try await store.record(.received("m1", from: "bob", in: friends, at: .now, content: .text("hello")))
        try await until { model.badge.value == 1 && model.rows.map(\.id) == [friends] }
        try await store.close()
    }

    @Test("a message that arrives is shown")
    func arrival() async throws {
        let place = try TemporaryStore()
        let store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
        let model = ChatModel(store, friends)
        try await store.record(.received("m1", from: "bob", in: friends, at: .now, content: .text("hello")))
        try await until { model.timeline.messages.map(\.text) == ["hello"] }
        try await store.close()
    }

    @Test("older messages are fetched and shown")
    func older() async throws {
        let place = try TemporaryStore()
        let history = FakeHistoryProvider(
            (1...50).map { number in
                MessageReceived(
                    serverID: ServerMessageID("m\(number)"), sender: "bob",
                    sentTime: Timestamp(milliseconds: 1_600_000_000_000 + Int64(number)),
                    content: .text("hello \(number)"))
            })
        var configuration = place.configuration
        configuration.hooks.historyProvider = history
        let store = try await MessageStore.open(place.path, account: "me", configuration: configuration)
        _ = try await store.history(of: friends, limit: 20)
        let model = ChatModel(store, friends)
        try await until { model.timeline.messages.count == 20 && model.timeline.hasOlder }
        await model.timeline.loadOlder()
        #expect(model.timeline.messages.count == 50 && !model.timeline.hasOlder && model.timeline.loadError == nil)
        try await store.close()
    }

    @Test("a message is queued, refused, retried and sent, and reading clears the count")
    func sending() async throws {
        let place = try TemporaryStore()
        let store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
        let model = ChatModel(store, friends)
        let server = Server()
        let loop = Task { try await store.keepSending { await server.send($0) } }
        try await model.send("on my way")
        try await until { model.timeline.messages.map(\.status) == [.failed] }
        try await store.record(.sendRetried(model.timeline.messages[0].id, in: friends))
        try await until {
            model.timeline.messages.map(\.status) == [.sent] && model.timeline.messages[0].serverID == "s2"
        }
        try await store.record(.received("m1", from: "bob", in: friends, at: .now, content: .text("ok")))
        try await model.markRead()
        #expect(try await store.read { try $0.unreadTotals().badge } == 0)
        try await store.close()
        loop.cancel()
        _ = await loop.result
    }
}

/// Refuses the first message.
private actor Server {
    private var calls = 0

    func send(_ message: Message) -> SendAnswer {
        calls += 1
        return calls == 1 ? .refused(code: 1) : .accepted(as: ServerMessageID("s\(calls)"), at: .now)
    }
}
