import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("D1, E24: durable subscribers", .timeLimit(.minutes(30)))
struct SubscriptionTests {
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
    }

    private func record(_ count: Int, in store: MessageStore) throws {
        try store.record([Event](repeating: pinned(), count: count))
    }

    @Test("D1: every event comes once and in order, those of the past and then the new ones")
    func order() async throws {
        let store = try place.open()
        try record(300, in: store)
        let subscriber = TestSubscriber()
        let subscription = try store.subscribe(subscriber, from: .beginning)
        await subscription.reaches(300)
        try record(300, in: store)
        await subscription.reaches(600)
        #expect(subscriber.positions == Array(1...600))
        #expect(subscription.status.handled == 600 && subscription.status.isLive)
        try await store.close()
    }

    @Test("D1: a subscriber goes on after its checkpoint when the store is opened again", arguments: [false, true])
    func restart(isCancelled: Bool) async throws {
        let first = TestSubscriber()
        do {
            let store = try place.open()
            let subscription = try store.subscribe(first)
            try record(3, in: store)
            await subscription.reaches(3)
            if isCancelled { subscription.cancel() }
            try await store.close()
            await subscription.waitUntilEnded()
            #expect(!subscription.status.isLive && subscription.status.error == nil)
        }
        try place.withStore { try record(2, in: $0) }
        let store = try place.open()
        let second = TestSubscriber()
        let subscription = try store.subscribe(second, from: .beginning)
        await subscription.reaches(5)
        #expect(first.positions == [1, 2, 3])
        #expect(second.positions == [4, 5])
        try await store.close()
    }

    @Test("D1: a new subscriber begins where it is asked to, and that holds after a restart")
    func start() async throws {
        let store = try place.open()
        try record(2, in: store)
        let late = try store.subscribe(TestSubscriber("late"))
        let early = try store.subscribe(TestSubscriber("early"), from: .beginning)
        #expect(late.position == Position(2))
        await early.reaches(2)
        late.cancel()
        try record(1, in: store)
        let again = TestSubscriber("late")
        let resumed = try store.subscribe(again)
        await resumed.reaches(3)
        #expect(again.positions == [3])
        try await store.close()
    }

    @Test("the checkpoint is written every 256 events, so that no more come again after a crash")
    func checkpoints() async throws {
        let store = try place.open()
        try record(400, in: store)
        let gate = TestGate()
        let subscriber = TestSubscriber { event, _ in
            if event.position == Position(301) { await gate.wait() }
            return .handled
        }
        let subscription = try store.subscribe(subscriber, from: .beginning)
        await subscriber.seen.wait { $0.count == 301 }
        #expect(subscription.position == Position(300))
        #expect(try store.subscriptionPositions().map(\.position) == [Position(256)])
        gate.open()
        await subscription.saves(400)
        #expect(try store.subscriptionPositions().map(\.position) == [Position(400)])
        try await store.close()
    }

    @Test("E24: handled and ignored events are counted apart, and one to retry comes again")
    func answers() async throws {
        let store = try place.open { $0.clock = SleepNotingClock() }
        try record(3, in: store)
        let subscriber = TestSubscriber { event, call in
            if event.position == Position(1) { return .ignored }
            return call < 12 ? .retry : .handled
        }
        var options = SubscriptionOptions()
        options.maximumRetryDelay = .seconds(5)
        let subscription = try store.subscribe(subscriber, from: .beginning, options: options)
        await subscription.reaches(3)
        let status = subscription.status
        #expect(status.ignored == 1 && status.handled == 2 && status.retries == 10 && status.failures == 0)
        #expect(subscriber.positions == [1] + [UInt64](repeating: 2, count: 11) + [3])
        try await store.close()
    }

    @Test("a filter chooses the events, and the checkpoint passes the others")
    func filter() async throws {
        let store = try place.open()
        try record(300, in: store)
        try await store.record(received("a", at: 1))
        try record(300, in: store)
        let subscriber = TestSubscriber(filter: EventFilter(types: [.messageReceived]))
        let subscription = try store.subscribe(subscriber, from: .beginning)
        await subscription.reaches(601)
        #expect(subscriber.positions == [301])
        await subscription.saves(601)
        #expect(try store.subscriptionPositions().map(\.position) == [Position(601)])
        try await store.close()
    }

    @Test("a name has one live subscription; a checkpoint can be forgotten once it is free")
    func names() async throws {
        let store = try place.open()
        try record(1, in: store)
        let subscription = try store.subscribe(TestSubscriber(), from: .beginning)
        expectError(.invalidArgument) { _ = try store.subscribe(TestSubscriber()) }
        expectError(.invalidArgument) { try store.removeSubscriber(named: "s") }
        expectError(.invalidArgument) { _ = try store.subscribe(TestSubscriber("")) }
        expectError(.invalidArgument) {
            _ = try store.subscribe(TestSubscriber(String(repeating: "x", count: 256)))
        }
        await subscription.reaches(1)
        subscription.cancel()
        subscription.cancel()
        #expect(try store.subscriptionPositions().map(\.name) == ["s"])
        try store.removeSubscriber(named: "s")
        try store.removeSubscriber(named: "never seen")
        #expect(try store.subscriptionPositions().isEmpty)
        let again = TestSubscriber()
        let second = try store.subscribe(again, from: .beginning)
        await second.reaches(1)
        #expect(again.positions == [1])
        try await store.close()
    }

    @Test("a store open for reading only lists the checkpoints and takes no subscriber")
    func readingOnly() throws {
        try place.withStore { store throws in
            #expect(try store.subscriptionPositions().isEmpty)
            #expect(try store.statistics().tables.contains { $0.name == "subscriptions" } == false)
        }
        do {
            let reader = try place.openReadOnly()
            #expect(try reader.subscriptionPositions().isEmpty)
            try reader.close()
        }
        try place.withStore { store throws in
            try record(1, in: store)
            for name in ["b", "a"] { try store.subscribe(TestSubscriber(name)) }
        }
        let reader = try place.openReadOnly()
        #expect(try reader.subscriptionPositions().map(\.name) == ["a", "b"])
        #expect(try reader.subscriptionPositions().map(\.position) == [Position(1), Position(1)])
        expectError(.readOnly) { _ = try reader.subscribe(TestSubscriber()) }
        expectError(.readOnly) { try reader.removeSubscriber(named: "a") }
        try reader.close()
        expectError(.closed) { _ = try reader.subscriptionPositions() }
    }

    @Test("I2: a store with subscribers at work can be opened again as soon as it is closed")
    func immediateReopening() throws {
        for _ in 0..<30 {
            let store = try place.open()
            try store.subscribe(TestSubscriber("a"), from: .beginning)
            try record(20, in: store)
            try store.subscribe(TestSubscriber("b"), from: .beginning).cancel()
            try store.close()
        }
    }

    @Test("what is kept for subscribers is no part of the views and survives their loss")
    func rebuild() throws {
        try place.withStore { store throws in
            try record(5, in: store)
            try store.subscribe(TestSubscriber()).cancel()
            try store.rebuild()
            #expect(try store.subscriptionPositions().map(\.position) == [Position(5)])
            #expect(try store.isConsistent())
        }
    }
}
