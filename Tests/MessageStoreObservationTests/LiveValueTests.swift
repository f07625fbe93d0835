import Dispatch
import MessageStore
import MessageStoreTestKit
import Observation
import Testing

@testable import MessageStoreObservation

private let friends = ConversationKey.group("friends")

/// Counts on the main actor, or anywhere.
private final class Counter: @unchecked Sendable {
    private let lock = DispatchQueue(label: "counter")
    private var count = 0

    func add() { lock.sync { count += 1 } }
    var value: Int { lock.sync { count } }
}

@Suite("Live values", .timeLimit(.minutes(30)))
@MainActor
struct LiveValueTests {
    private let place: TemporaryStore
    private let store: MessageStore

    init() async throws {
        place = try TemporaryStore()
        store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
    }

    private func receive(_ numbers: ClosedRange<Int>, in store: MessageStore) async throws {
        for number in numbers {
            try await store.record(
                .received(
                    ServerMessageID("m\(number)"), from: "bob", in: friends,
                    at: Timestamp(milliseconds: Int64(number)), content: .text("hello \(number)")))
        }
    }

    @Test("the first value comes from one read, later ones follow changes, and no query runs on the main actor")
    func follows() async throws {
        let reads = Counter()
        var values: [Int] = []
        let badge = LiveValue(
            store.observe { views in
                dispatchPrecondition(condition: .notOnQueue(.main))
                reads.add()
                return try views.unreadTotals().badge
            }
        ) { values.append($0) }
        #expect(badge.value == nil && badge.isLoading && badge.error == nil)
        #expect(await badge.loaded() == 0)
        #expect(reads.value == 1 && !badge.isLoading)
        try await receive(1...3, in: store)
        try await until { badge.value == 3 }
        // The list is another value, the badge is the same.
        try await store.record(Event(ConversationPinned(true), in: friends))
        try await store.record(.read(in: friends))
        try await until { badge.value == 0 }
        #expect(values.indices.dropFirst().allSatisfy { values[$0] != values[$0 - 1] })
        #expect(values.first == 0 && values.last == 0)
        try await store.close()
    }

    @Test("the badge of an app's icon leaves out muted conversations")
    func badge() async throws {
        let badge = LiveValue(badgeOf: store)
        try await receive(1...2, in: store)
        try await until { badge.value == 2 }
        try await store.record(Event(ConversationMuted(true), in: friends))
        try await until { badge.value == 0 }
        try await store.close()
    }

    @Test("a released value ends its query")
    func released() async throws {
        final class Owned: Sendable {
            let end: AsyncStream<Void>.Continuation
            init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
            deinit { end.finish() }
        }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var owned: Owned? = Owned(end)
        var badge: LiveValue<Int>? = LiveValue(
            store.observe { [owned] views in
                withExtendedLifetime(owned) {}
                return try views.unreadTotals().badge
            })
        owned = nil
        #expect(await badge?.loaded() == 0)
        weak let gone = badge
        badge = nil
        #expect(gone == nil)
        // The query is released, and what it owns.
        for await _ in ends {}
        try await store.close()
    }

    @Test("a value that stops keeps what it shows")
    func stopped() async throws {
        let reads = Counter()
        let badge = LiveValue(
            store.observe { views in
                reads.add()
                return try views.unreadTotals().badge
            })
        await badge.loaded()
        badge.stop()
        badge.stop()
        let before = reads.value
        try await receive(1...1, in: store)
        // Another query has seen the change.
        let other = LiveValue(badgeOf: store)
        try await until { other.value == 1 }
        #expect(reads.value == before)
        #expect(try await store.read { try $0.unreadTotals().badge } == 1)
        #expect(badge.value == 0 && !badge.isLoading)
        let idle = LiveValue(store.observe { try $0.unreadTotals().badge })
        idle.stop()
        #expect(await idle.loaded() == nil)
        #expect(!idle.isLoading)
        try await store.close()
    }

    @Test("a store that is closed leaves its last value, and its values are gone once another one is followed")
    func accounts() async throws {
        let secondPlace = try TemporaryStore()
        let second = try await MessageStore.open(
            secondPlace.path, account: "other", configuration: secondPlace.configuration)
        try await receive(1...2, in: store)
        try await receive(1...5, in: second)
        var values: [Int] = []
        let badge = LiveValue<Int> { values.append($0) }
        #expect(badge.value == nil)
        badge.follow(store.observe { try $0.unreadTotals().badge })
        try await until { badge.value == 2 }
        async let late: Void = receive(3...20, in: store)
        badge.follow(second.observe { try $0.unreadTotals().badge })
        #expect(badge.value == nil && badge.isLoading)
        let before = values.count
        try await until { badge.value == 5 }
        try await late
        try await receive(6...6, in: second)
        try await until { badge.value == 6 }
        #expect(Array(values[before...]) == [5, 6])
        try await second.close()
        try await store.close()
        #expect(badge.value == 6 && badge.error == nil)
    }

    @Test("while a view is made nobody is notified, and the former account's value is hidden at once")
    func views() async throws {
        let secondPlace = try TemporaryStore()
        let second = try await MessageStore.open(
            secondPlace.path, account: "other", configuration: secondPlace.configuration)
        try await receive(1...2, in: store)
        let badge = LiveValue<Int>()
        let changes = Counter()
        func show(_ store: MessageStore?, _ id: Int) {
            withObservationTracking {
                _ = (badge.value, badge.error, badge.isLoading)
            } onChange: {
                changes.add()
            }
            let before = changes.value
            badge.follow(id: [AnyHashable(store.map(ObjectIdentifier.init)), AnyHashable(id)]) {
                store.map { $0.observe { try $0.unreadTotals().badge + id } }
            }
            #expect(changes.value == before)
        }
        show(nil, 0)
        #expect(badge.value == nil && !badge.isLoading)
        show(store, 0)
        try await until { badge.value == 2 }
        #expect(changes.value >= 1)
        show(store, 0)
        #expect(badge.value == 2, "the same inputs start nothing")
        show(second, 0)
        #expect(badge.value == nil && badge.isLoading)
        try await until { badge.value == 0 }
        show(nil, 0)
        #expect(badge.value == nil && !badge.isLoading)
        show(second, 0)
        try await until { badge.value == 0 }
        show(second, 7)
        #expect(badge.value == nil)
        try await until { badge.value == 7 }
        try await second.close()
        try await store.close()
    }

    @Test("who waits for the first value waits for that of a later sequence, and not once the task is cancelled")
    func waiting() async throws {
        let badge = LiveValue(store.observe { try $0.unreadTotals().badge })
        async let loaded = badge.loaded()
        badge.follow(store.observe { try $0.unreadTotals().badge + 7 })
        #expect(await loaded == 7)
        try await store.suspend()
        let blocked = LiveValue(store.observe { try $0.unreadTotals().badge })
        let task = Task { await blocked.loaded() }
        task.cancel()
        #expect(await task.value == nil)
        #expect(blocked.isLoading)
        try await store.resume()
        #expect(await blocked.loaded() == 0)
        try await store.close()
    }

    @Test("an error ends the query, keeps the value, and retry begins again")
    func failure() async throws {
        struct Refusal: Error {}
        let fails = Counter()
        let badge = LiveValue(
            store.observe { views in
                let badge = try views.unreadTotals().badge
                guard badge != 1 || fails.value > 0 else { throw Refusal() }
                return badge
            })
        badge.retry()
        await badge.loaded()
        try await receive(1...1, in: store)
        try await until { badge.error is Refusal }
        #expect(badge.value == 0 && !badge.isLoading)
        fails.add()
        badge.retry()
        #expect(badge.error == nil && badge.value == 0)
        try await until { badge.value == 1 }
        let broken = LiveValue(store.observe { _ -> Int in throw Refusal() })
        #expect(await broken.loaded() == nil)
        #expect(broken.error is Refusal)
        try await store.close()
    }

    @Test("every change of a list is handed to its view, in order")
    func lists() async throws {
        var (shown, updates): ([Message.ID], Int) = ([], 0)
        let list = LiveValue(store.observeTimeline(of: friends, limit: 5).updates(of: \.elements)) { update in
            for index in update.changes.deleted { shown.remove(at: index) }
            for index in update.changes.inserted { shown.insert(update.rows[index].id, at: index) }
            #expect(shown == update.rows.map(\.id))
            updates += 1
        }
        try await receive(1...30, in: store)
        try await until { list.value?.rows.last?.text == "hello 30" }
        #expect(shown.count == 5 && updates > 1)
        try await store.close()
    }
}
