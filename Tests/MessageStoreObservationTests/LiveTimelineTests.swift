import MessageStore
import MessageStoreObservation
import MessageStoreTestKit
import Testing

private let friends = ConversationKey.group("friends")

@Suite("Live timelines", .timeLimit(.minutes(30)))
@MainActor
struct LiveTimelineTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    /// Opens a store; the history provider has messages 1 to the first number, the store the others.
    private func open(history: Int = 0, messages: Int) async throws -> MessageStore {
        var configuration = place.configuration
        if history > 0 {
            configuration.hooks.historyProvider = FakeHistoryProvider((1...history).map { Self.message($0) })
        }
        let store = try await MessageStore.open(place.path, account: "me", configuration: configuration)
        guard history < messages else { return store }
        try await store.record((history + 1...messages).map { Event(Self.message($0), in: friends, origin: .live) })
        return store
    }

    private static func message(_ number: Int) -> MessageReceived {
        MessageReceived(
            serverID: ServerMessageID("m\(number)"), sender: "bob",
            sentTime: Timestamp(milliseconds: 1_600_000_000_000 + Int64(number)), content: .text("\(number)"))
    }

    private func numbers(_ chat: LiveTimeline) -> [Int] { chat.messages.compactMap { $0.text.flatMap { Int($0) } } }

    @Test("pages are added up to ten; then the window moves on, to the first message and back to the newest")
    func paging() async throws {
        let store = try await open(messages: 150)
        let chat = LiveTimeline(of: friends, in: store, pageSize: 5)
        #expect(chat.messages.isEmpty && chat.isLoading && !chat.hasOlder)
        await chat.loaded()
        #expect(numbers(chat) == Array(146...150) && chat.hasOlder && !chat.hasNewer && !chat.isLoading)
        var oldest = 146
        for _ in 0..<100 where oldest > 1 {
            await chat.loadOlder()
            let shown = numbers(chat)
            #expect(shown.count <= 50 && shown == Array(shown[0]...shown[shown.count - 1]))
            #expect(shown[0] <= max(oldest - 5, 1) && shown.contains(oldest))
            oldest = shown[0]
        }
        #expect(oldest == 1 && chat.hasNewer && !chat.hasOlder)
        var newest = numbers(chat).last ?? 0
        #expect(newest < 150)
        for _ in 0..<100 where chat.hasNewer {
            await chat.loadNewer()
            let shown = numbers(chat)
            #expect(shown.count <= 50 && shown == Array(shown[0]...shown[shown.count - 1]))
            #expect(shown.contains(newest) && shown[shown.count - 1] > newest)
            newest = shown[shown.count - 1]
        }
        #expect(newest == 150)
        try await store.record(Event(Self.message(151), in: friends, origin: .live))
        try await until { numbers(chat).last == 151 }
        try await store.close()
    }

    @Test("a window at the end takes in what arrives, and drops what is deleted")
    func arrivals() async throws {
        let store = try await open(messages: 3)
        let chat = LiveTimeline(of: friends, in: store, pageSize: 5)
        try await until { numbers(chat) == [1, 2, 3] }
        try await store.record(Event(Self.message(4), in: friends, origin: .live))
        try await until { numbers(chat) == [1, 2, 3, 4] }
        try await store.record(Event(MessagesDeleted([.server("m2")]), in: friends))
        try await until { numbers(chat) == [1, 3, 4] }
        try await store.close()
    }

    @Test("the window moves to a message and its neighbours, stays when this is deleted, and goes back")
    func show() async throws {
        let store = try await open(messages: 100)
        let chat = LiveTimeline(of: friends, in: store, pageSize: 5)
        try await chat.show(.server("m40"))
        #expect(numbers(chat).contains(40) && chat.hasNewer && chat.hasOlder)
        #expect(chat.messages.first { $0.id == chat.shown }?.text == "40")
        try await store.record(Event(MessagesDeleted([.server("m40")]), in: friends))
        try await until { !numbers(chat).contains(40) }
        #expect(chat.error == nil && !chat.messages.isEmpty)
        await chat.loadNewer()
        await chat.loadOlder()
        #expect(chat.messages.count > 5)
        await #expect { try await chat.show(.server("m40")) } throws: { ($0 as? StoreError)?.code == .notFound }
        chat.showNewest()
        await chat.loaded()
        #expect(numbers(chat).last == 100 && chat.shown == nil && !chat.hasNewer)
        let place = MessageOrder(time: Timestamp(milliseconds: 1_600_000_000_010), id: "m10")
        let first = LiveTimeline(of: friends, in: store, around: place, pageSize: 5)
        await first.loaded()
        #expect(numbers(first) == Array(8...12))
        try await store.close()
    }

    @Test("what the store lacks comes from the history provider, whose failure is shown and repeated")
    func history() async throws {
        let store = try await open(history: 50, messages: 50)
        let chat = LiveTimeline(of: friends, in: store, pageSize: 10)
        await chat.loaded()
        #expect(chat.messages.isEmpty && chat.hasOlder)
        for count in [10, 20, 30, 40, 50] {
            await chat.loadOlder()
            #expect(numbers(chat) == Array(51 - count...50))
        }
        await chat.loadOlder()
        #expect(!chat.hasOlder && chat.loadError == nil)
        try await store.close()
        let empty = try TemporaryStore()
        var configuration = empty.configuration
        configuration.hooks.historyProvider = Offline()
        let offline = try await MessageStore.open(empty.path, account: "me", configuration: configuration)
        let other = LiveTimeline(of: friends, in: offline, pageSize: 10)
        await other.loaded()
        await other.loadOlder()
        #expect(other.loadError != nil && !other.isLoadingMore && other.error == nil)
        try await offline.close()
    }

    @Test("with a provider the window never shows messages next to each other between which some are missing")
    func gaps() async throws {
        var configuration = place.configuration
        configuration.hooks.historyProvider = FakeHistoryProvider((1...200).map { Self.message($0) })
        let store = try await MessageStore.open(place.path, account: "me", configuration: configuration)
        _ = try await store.history(of: friends, limit: 10)
        let chat = LiveTimeline(of: friends, in: store, pageSize: 10)
        await chat.loaded()
        func isJoined() -> Bool {
            let shown = numbers(chat)
            return shown.count > 1 && shown == Array(shown[0]...shown[shown.count - 1])
        }
        #expect(numbers(chat) == Array(191...200))
        // As a hit of a search that is far from all that is known.
        let order = MessageOrder(time: Timestamp(milliseconds: 1_600_000_000_050), id: "m50")
        _ = try await store.history(of: friends, .around(.order(order)), limit: 10)
        try await chat.show(.server("m50"))
        #expect(isJoined() && numbers(chat).contains(50))
        for _ in 0..<3 {
            await chat.loadOlder()
            #expect(isJoined() && chat.hasNewer)
        }
        for _ in 0..<100 where chat.hasNewer {
            await chat.loadNewer()
            #expect(isJoined() && chat.loadError == nil)
        }
        #expect(numbers(chat).last == 200)
        for _ in 0..<100 where chat.hasOlder {
            await chat.loadOlder()
            #expect(isJoined() && chat.loadError == nil)
        }
        #expect(numbers(chat).first == 1)
        try await store.close()
    }

    @Test("a server that gives less than is asked for, or fails, leaves no gap in the window")
    func shortAnswers() async throws {
        let server = Capped((1...100).map { Self.message($0) })
        var configuration = place.configuration
        configuration.hooks.historyProvider = server
        let store = try await MessageStore.open(place.path, account: "me", configuration: configuration)
        _ = try await store.history(of: friends, limit: 10)
        let order = MessageOrder(time: Timestamp(milliseconds: 1_600_000_000_020), id: "m20")
        _ = try await store.history(of: friends, .before(.order(order)), limit: 10)
        let chat = LiveTimeline(of: friends, in: store, pageSize: 40)
        await chat.loaded()
        #expect(numbers(chat) == Array(93...100))
        server.isDown.change { $0 = true }
        await chat.loadOlder()
        #expect(numbers(chat) == Array(93...100) && chat.loadError != nil && chat.hasOlder)
        server.isDown.change { $0 = false }
        for _ in 0..<100 where chat.hasOlder {
            await chat.loadOlder()
            let shown = numbers(chat)
            #expect(shown == Array(shown[0]...100) && chat.loadError == nil)
        }
        #expect(numbers(chat).first == 1)
        try await store.close()
    }

    @Test("a conversation that is empty or was cleared has nothing older once the server was asked")
    func nothingOlder() async throws {
        var configuration = place.configuration
        configuration.hooks.historyProvider = FakeHistoryProvider([])
        let store = try await MessageStore.open(place.path, account: "me", configuration: configuration)
        let empty = LiveTimeline(of: friends, in: store, pageSize: 5)
        await empty.loaded()
        #expect(empty.hasOlder)
        await empty.loadOlder()
        #expect(!empty.hasOlder && empty.messages.isEmpty && empty.loadError == nil)
        try await store.record((1...9).map { Event(Self.message($0), in: friends, origin: .live) })
        let last = MessageOrder(time: Timestamp(milliseconds: 1_600_000_000_005), id: "m5")
        try await store.record(Event(HistoryCleared(upTo: last), in: friends))
        let chat = LiveTimeline(of: friends, in: store, pageSize: 20)
        await chat.loaded()
        #expect(numbers(chat) == Array(6...9))
        await chat.loadOlder()
        #expect(!chat.hasOlder && numbers(chat) == Array(6...9))
        try await store.close()
    }

    @Test("a move that waits for the server does not undo a later one")
    func moves() async throws {
        let clock = ManualClock()
        var configuration = place.configuration
        configuration.clock = clock
        configuration.hooks.historyProvider = FakeHistoryProvider(
            (1...100).map { Self.message($0) }, delay: .seconds(5), clock: clock, goesForward: false)
        let store = try await MessageStore.open(place.path, account: "me", configuration: configuration)
        try await store.record((1...100).map { Event(Self.message($0), in: friends, origin: .live) })
        let chat = LiveTimeline(of: friends, in: store, pageSize: 5)
        await chat.loaded()
        let early = Task { try await chat.show(.server("m20")) }
        await clock.waitForSleeper(until: .seconds(5))
        chat.showNewest()
        clock.advance(by: .seconds(5))
        try await early.value
        await chat.loaded()
        #expect(numbers(chat).last == 100 && chat.shown == nil)
        try await store.close()
    }

    @Test("messages of one time are paged through as others")
    func sameTime() async throws {
        let store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
        let ids = (100...250).map { ServerMessageID("m\($0)") }
        try await store.record(
            ids.map { id in
                .received(
                    id, from: "bob", in: friends, at: Timestamp(milliseconds: 1_600_000_000_000), content: .text("x"))
            })
        let chat = LiveTimeline(of: friends, in: store, pageSize: 5)
        await chat.loaded()
        var seen = chat.messages.compactMap(\.serverID)
        for _ in 0..<100 where chat.hasOlder {
            await chat.loadOlder()
            let shown = chat.messages.compactMap(\.serverID)
            let known = try #require(shown.firstIndex(of: seen[0]))
            seen = shown[..<known] + seen
        }
        #expect(seen == ids)
        for _ in 0..<100 where chat.hasNewer { await chat.loadNewer() }
        #expect(chat.messages.last?.serverID == ids.last)
        try await store.close()
    }

    @Test("an unsent message is shown among the others, and pages are added around it")
    func unsent() async throws {
        let store = try await open(messages: 30)
        let sent = try await store.send(
            MessageSendQueued(content: .text("31"), clientToken: .unique()), to: friends)
        let chat = LiveTimeline(of: friends, in: store, pageSize: 5)
        await chat.loaded()
        #expect(numbers(chat) == Array(27...31))
        try await chat.show(.local(sent))
        #expect(numbers(chat).last == 31 && chat.messages.last?.id == chat.shown)
        await chat.loadOlder()
        #expect(numbers(chat).first ?? 31 < 27)
        try await store.close()
    }
}

private struct Offline: HistoryProvider {
    struct Unreachable: Error {}

    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        throw Unreachable()
    }
}

/// A server that answers with at most 8 messages, and that can be down.
private final class Capped: HistoryProvider {
    struct Unreachable: Error {}
    let isDown = Watched(false)
    private let all: FakeHistoryProvider

    init(_ messages: [MessageReceived]) { all = FakeHistoryProvider(messages) }

    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        if isDown.value { throw Unreachable() }
        return try await all.page(of: conversation, before: anchor, limit: min(limit, 8))
    }
}
