import MessageStore
import MessageStoreLMDB
import Testing

/// Written from Spider-lib's document: its local database, its connection callbacks and its plugins.
@Suite("Spider: local store and plugins", .timeLimit(.minutes(30)))
struct SpiderStoreTests {
    @Test("E2: connecting, connected, disconnected with code and words, kicked")
    func connection() throws {
        try withTemporaryStore { store throws in
            #expect(try store.read { try $0.session() } == nil)
            let states = [
                SessionStateChanged(.connecting), SessionStateChanged(.connected),
                SessionStateChanged(.disconnected, code: 1006, text: "连接断开"),
                SessionStateChanged(.kicked, text: "被踢下线"),
            ]
            for state in states {
                try store.record(Event(state))
                #expect(try store.read { try $0.session() } == state)
            }
        }
    }

    @Test("E3, E5: the user id chooses the store, and opening answers with a typed result")
    func opening() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        expectError(.alreadyOpen) { _ = try place.open() }
        try store.close()
        expectError(.accountMismatch) { _ = try place.open(account: "somebody else") }
        expectError(.invalidArgument) { _ = try MessageStore.open("", account: "me") }
    }

    @Test("E4: what arrives is counted down to the moment to refresh")
    func countdown() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let deliveries = store.deliveries()
        try await store.record((1...3).map { received("m\($0)", at: Int64($0)) })
        try await store.close()
        var left: [Int] = []
        for await delivery in deliveries { left.append(delivery.remaining) }
        #expect(left == [2, 1, 0])
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
        await eventually { subscriptions.allSatisfy { $0.position == Position(3) } }
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
        await eventually { later.seen.withLock { $0.count } == 1 }
        #expect(later.seen.withLock { $0 } == [Position(4)], "nothing that was handled comes again")
        subscription.cancel()
        await subscription.waitUntilEnded()
        try again.removeSubscriber(named: "red packets")
        #expect(try again.subscriptionPositions().map(\.name) == ["calls"])
        try await again.close()
    }

    @Test("E25: messages from a local id, of some types, in both directions, at most so many")
    func paging() throws {
        try withTemporaryStore { store throws in
            try store.record((1...9).map { received("m\($0)", at: Int64($0), type: $0 % 3 == 0 ? .image : .text) })
            let middle = TimelinePart.before(.message(.local(LocalMessageID(5))))
            #expect(try store.page(middle, limit: 2).messages.map(\.serverID) == ["m3", "m4"])
            let newer = TimelinePart.after(.message(.local(LocalMessageID(5))))
            #expect(try store.page(newer, limit: 2).messages.map(\.serverID) == ["m6", "m7"])
            #expect(try store.page(newer, types: [.image], limit: 5).messages.map(\.serverID) == ["m6", "m9"])
            #expect(try store.page(newer, types: [.text, .image], limit: 9).messages.count == 4)
        }
    }

    @Test("E27, E28: deleting messages by id and all of a session; the session stays in the list")
    func deleting() throws {
        try withTemporaryStore { store throws in
            try store.record((1...4).map { received("m\($0)", at: Int64($0)) })
            let ids = [1, 3].map { MessageReference.local(LocalMessageID($0)) }
            try store.record(Event(MessagesDeleted(ids), in: group))
            #expect(try store.texts() == ["m2", "m4"])
            try store.record(cleared())
            #expect(try store.texts() == [] && store.list() == [group] && store.unread().messages == 0)
        }
    }

    @Test("E29, E30: sessions by type, one session, deleting it and putting it on top")
    func sessions() throws {
        try withTemporaryStore { store throws in
            try store.record(
                received("a", at: 1), received("b", at: 2, in: peer), received("c", at: 3, in: .group("h")))
            #expect(try store.list(kinds: [.group]) == [.group("h"), group])
            try store.record(pinned(in: group))
            #expect(try store.list() == [group, .group("h"), peer])
            #expect(try store.conversation(peer)?.lastMessage?.id == LocalMessageID(2))
            try store.record(conversationDeleted(in: peer))
            #expect(try store.list() == [group, .group("h")])
        }
    }

    @Test("E31: clearing a session's unread state, and the sum over types")
    func unread() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), received("b", at: 2, in: peer), received("c", at: 3, in: peer))
            #expect(try store.totals(kinds: [.single]).messages == 2 && store.totals().messages == 3)
            try store.record(read(in: peer))
            #expect(try store.totals(kinds: [.single]).messages == 0 && store.totals().messages == 1)
        }
    }
}
