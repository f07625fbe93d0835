import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("E24: subscribers that fail hold back nobody", .timeLimit(.minutes(30)))
struct FailingSubscriberTests {
    private let place: TemporaryStore
    private let clock = SleepNotingClock()
    private let store: MessageStore

    init() throws {
        place = try TemporaryStore()
        store = try place.open { [clock] in $0.clock = clock }
        try store.record(pinned(), pinned(), pinned())
    }

    private func options(_ change: (inout SubscriptionOptions) -> Void = { _ in }) -> SubscriptionOptions {
        var options = SubscriptionOptions()
        options.timeout = .seconds(3600)
        options.attempts = 5
        options.maximumRetryDelay = .seconds(5)
        change(&options)
        return options
    }

    @Test("an event that fails comes again after growing delays; then the subscription ends and the checkpoint stays")
    func stopping() async throws {
        let subscriber = TestSubscriber { event, _ in
            if event.position == Position(2) { throw TestSubscriber.Refused() }
            return .handled
        }
        let subscription = try store.subscribe(subscriber, from: .beginning, options: options())
        await subscription.waitUntilEnded()
        #expect(subscriber.positions == [1, 2, 2, 2, 2, 2])
        #expect(clock.sleeps == [1, 2, 4, 5].map { .seconds($0) })
        let status = subscription.status
        #expect(!status.isLive && status.error is TestSubscriber.Refused && status.failures == 5)
        #expect(status.position == Position(1))
        #expect(try store.subscriptionPositions().map(\.position) == [Position(1)])
        let repaired = TestSubscriber()
        let second = try store.subscribe(repaired)
        await second.reaches(3)
        #expect(repaired.positions == [2, 3])
        try await store.close()
    }

    @Test("an event that fails can be passed over instead")
    func skipping() async throws {
        let subscriber = TestSubscriber { event, _ in
            if event.position == Position(2) { throw TestSubscriber.Refused() }
            return .handled
        }
        let subscription = try store.subscribe(
            subscriber, from: .beginning, options: options { $0.onFailure = .skip })
        await subscription.reaches(3)
        let status = subscription.status
        #expect(status.isLive && status.skipped == 1 && status.handled == 2 && status.failures == 5)
        try await store.close()
    }

    @Test("a failure that passes is forgotten")
    func recovering() async throws {
        let subscriber = TestSubscriber { _, call in
            if call % 4 != 0 { throw TestSubscriber.Refused() }
            return .handled
        }
        let subscription = try store.subscribe(subscriber, from: .beginning, options: options())
        await subscription.reaches(3)
        #expect(subscriber.positions == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
        #expect(clock.sleeps == [1, 2, 4, 1, 2, 4, 1, 2, 4].map { .seconds($0) })
        try await store.close()
    }

    @Test("a subscriber that hangs fails by its time-out, while appends and other subscribers go on")
    func hanging() async throws {
        let gate = TestGate()
        let hanging = TestSubscriber("hanging") { _, _ in
            await gate.wait()
            return .handled
        }
        let slow = try store.subscribe(hanging, from: .beginning, options: options())
        let failing = try store.subscribe(
            TestSubscriber("failing") { _, _ in
                await gate.wait()
                return .handled
            }, from: .beginning, options: options { $0.timeout = .seconds(10) })
        await failing.waitUntilEnded()
        #expect((failing.status.error as? StoreError)?.code == .hookFailed)
        #expect(failing.status.failures == 5 && failing.position == .origin)
        let other = try store.subscribe(TestSubscriber("other"), from: .beginning)
        try await store.record(pinned())
        await other.reaches(4)
        #expect(hanging.positions == [1] && slow.position == .origin)
        slow.cancel()
        await slow.waitUntilEnded()
        gate.open()
        try await store.close()
        #expect(slow.position == .origin, "an answer that comes too late does not count")
    }

    @Test("a subscriber may record, read and subscribe others while it handles an event")
    func reentrance() async throws {
        let recorded = TestSubscriber { [store] event, _ in
            guard event.position < Position(6) else { return .ignored }
            _ = try store.texts()
            try await store.record(pinned())
            return .handled
        }
        let subscription = try store.subscribe(recorded, from: .beginning)
        await subscription.reaches(8)
        #expect(recorded.positions == Array(1...8))
        try await store.close()
    }

    @Test("a subscriber may cancel itself; the event at hand comes again next time")
    func selfCancellation() async throws {
        let own = Locked<Subscription?>(nil)
        let gate = TestGate()
        let subscriber = TestSubscriber { event, _ in
            await gate.wait()
            if event.position == Position(2) { own.withLock { $0 }?.cancel() }
            return .handled
        }
        let subscription = try store.subscribe(subscriber, from: .beginning)
        own.withLock { $0 = subscription }
        gate.open()
        await subscription.waitUntilEnded()
        #expect(subscription.position == Position(1))
        let next = TestSubscriber()
        let second = try store.subscribe(next)
        await second.reaches(3)
        #expect(next.positions == [2, 3])
        own.withLock { $0 = nil }
        try await store.close()
    }

    @Test("a subscription that is cancelled frees its name at once, even while its subscriber hangs")
    func cancelling() async throws {
        let gate = TestGate()
        let hanging = TestSubscriber { _, _ in
            await gate.wait()
            return .handled
        }
        let first = try store.subscribe(hanging, from: .beginning, options: options())
        await hanging.seen.wait { $0 == [Position(1)] }
        first.cancel()
        let second = TestSubscriber()
        let subscription = try store.subscribe(second)
        await subscription.reaches(3)
        gate.open()
        #expect(second.positions == [1, 2, 3])
        try await store.close()
    }

    @Test("a subscriber may close the store")
    func closing() async throws {
        let closed = TestGate()
        let subscriber = TestSubscriber { [store] event, _ in
            guard event.position == Position(2) else { return .handled }
            try await store.close()
            closed.open()
            return .handled
        }
        let subscription = try store.subscribe(subscriber, from: .beginning, options: options())
        await subscription.waitUntilEnded()
        await closed.wait()
        #expect(subscriber.positions == [1, 2])
        #expect(subscription.status.error == nil)
        let reopened = try place.open()
        #expect(try reopened.subscriptionPositions().map(\.position) == [Position(1)])
        try await reopened.close()
    }

    @Test("a damaged record ends the subscription with its position")
    func damage() async throws {
        try await store.close()
        do {
            let environment = try place.environment("log")
            let records = try environment.openTables(["records"], create: false)[0]
            let key = [UInt64(2).bigEndian]
            try environment.write { transaction in
                let damaged = [UInt8](repeating: 7, count: 80)
                try transaction.put(damaged.span.bytes, for: key.span.bytes, in: records)
            }
        }
        let reopened = try place.open()
        let subscriber = TestSubscriber()
        let subscription = try reopened.subscribe(subscriber, from: .beginning)
        await subscription.waitUntilEnded()
        #expect((subscription.status.error as? StoreError)?.code == .recordDamaged)
        #expect((subscription.status.error as? StoreError)?.position == Position(2))
        try await reopened.close()
    }
}
