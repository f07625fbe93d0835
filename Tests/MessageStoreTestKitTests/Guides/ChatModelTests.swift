import MessageStore
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
        let model = ListModel()
        let list = Task { try await model.followList(of: store) }
        let badge = Task { try await model.followBadge(of: store) }
        try await store.record(.received("m1", from: "bob", in: friends, at: .now, content: .text("hello")))
        try await until { model.badge == 1 && model.rows.map(\.id) == [friends] }
        try await store.close()
        try await list.value
        try await badge.value
    }

    @Test("a message that arrives is shown")
    func arrival() async throws {
        let place = try TemporaryStore()
        let store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
        let model = ChatModel(store, friends)
        let following = Task { await model.follow() }
        try await store.record(.received("m1", from: "bob", in: friends, at: .now, content: .text("hello")))
        try await until { model.messages.map(\.text) == ["hello"] }
        try await store.close()
        await following.value
    }

    @Test("older messages are fetched, and shown once the model follows more")
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
        let following = Task { await model.follow() }
        try await until { model.messages.count == 20 && model.hasOlder }
        await model.loadOlder()
        #expect(model.limit == 80 && model.failure == nil)
        following.cancel()
        await following.value
        let again = Task { await model.follow() }
        try await until { model.messages.count == 50 && !model.hasOlder }
        try await store.close()
        await again.value
    }

    @Test("a message is queued, refused, retried and sent, and reading clears the count")
    func sending() async throws {
        let place = try TemporaryStore()
        let store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
        let model = ChatModel(store, friends)
        let server = Server()
        let loop = Task { try await store.keepSending { await server.send($0) } }
        let following = Task { await model.follow() }
        try await model.send("on my way")
        try await until { model.messages.map(\.status) == [.failed] }
        try await store.record(.sendRetried(model.messages[0].id, in: friends))
        try await until { model.messages.map(\.status) == [.sent] && model.messages[0].serverID == "s2" }
        try await store.record(.received("m1", from: "bob", in: friends, at: .now, content: .text("ok")))
        try await model.markRead()
        #expect(try await store.read { try $0.unreadTotals().badge } == 0)
        try await store.close()
        await following.value
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
