import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

/// Written from Spider-lib's document: its local database, its connection callbacks and its plugins.
@Suite("Spider: local store and plugins", .store, .timeLimit(.minutes(30)))
struct SpiderStoreTests {
    @Test("E2: connecting, connected, disconnected with code and words, kicked")
    func connection() throws {
        #expect(try store.read { try $0.session() } == nil)
        let sessions = [
            Session(.connecting), Session(.connected), Session(.suspended),
            Session(.disconnected, code: 1006, text: "连接断开"), Session(.kicked, text: "被踢下线"),
        ]
        for session in sessions {
            try store.record(Event(SessionStateChanged(session.state, code: session.code, text: session.text)))
            #expect(try store.read { try $0.session() } == session)
        }
    }

    private final class Plugin: EventSubscriber {
        let name: String
        let filter = EventFilter(types: [.sessionStateChanged, .messageReceived])
        let seen = Locked<[Position]>([])
        private let answer: SubscriberAnswer

        init(_ name: String, _ answer: SubscriberAnswer) {
            (self.name, self.answer) = (name, answer)
        }

        func handle(_ event: RecordedEvent) async throws -> SubscriberAnswer {
            seen.withLock { $0.append(event.position) }
            return answer
        }
    }

    @Test("E24: plugins are independent, see logins, say whether they handled a message, and go on where they were")
    func plugins() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let (first, second) = (Plugin("calls", .handled), Plugin("red packets", .ignored))
        let subscriptions = [
            try store.subscribe(first, from: .beginning), try store.subscribe(second, from: .beginning),
        ]
        expectError(.invalidArgument) { _ = try store.subscribe(Plugin("calls", .handled)) }
        try await store.record([Event(SessionStateChanged(.connected)), received("a", at: 1), received("b", at: 2)])
        for subscription in subscriptions { await subscription.reaches(3) }
        #expect(first.seen.withLock { $0 } == [Position(1), Position(2), Position(3)])
        #expect(second.seen.withLock { $0 } == first.seen.withLock { $0 })
        #expect(subscriptions.map(\.status.handled) == [3, 0] && subscriptions.map(\.status.ignored) == [0, 3])
        for subscription in subscriptions {
            subscription.cancel()
            await subscription.waitUntilEnded()
        }
        try await store.close()
        let again = try place.open()
        let later = Plugin("calls", .handled)
        let subscription = try again.subscribe(later)
        try await again.record(received("c", at: 3))
        // The session had not ended, so the store recorded that it did.
        await subscription.reaches(5)
        #expect(later.seen.withLock { $0 } == [Position(4), Position(5)], "nothing that was handled comes again")
        subscription.cancel()
        await subscription.waitUntilEnded()
        try again.removeSubscriber(named: "red packets")
        #expect(try again.subscriptionPositions().map(\.name) == ["calls"])
        try await again.close()
    }
}
