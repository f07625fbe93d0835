import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("numbers and durations of a configuration without a limit", .timeLimit(.minutes(10)))
struct ExtremeConfigurationTests {
    /// A number for all numbers, and a duration for all durations.
    enum Extreme: CaseIterable {
        case greatest, zero, negative

        var number: Int { self == .greatest ? .max : self == .zero ? 0 : -1 }
        var duration: Duration { self == .greatest ? .seconds(Int64.max) : .seconds(number) }

        func apply(to configuration: inout MessageStore.Configuration) {
            configuration.durability.groupCommit.batches = number
            configuration.durability.groupCommit.bytes = number
            configuration.durability.groupCommit.delay = duration
            configuration.hooks.messageFilter = FakeMessageFilter(byText: { _ in .keep })
            configuration.hooks.filterTimeout = duration
            configuration.hooks.profileProvider = FakeProfileProvider()
            configuration.hooks.profileDelay = duration
            configuration.hooks.profileBatch = number
            configuration.hooks.profileTimeout = duration
            configuration.privacy.removedContent = .erase(after: duration)
            if self == .greatest {
                var policy = RetentionPolicy()
                policy.standard = .init(age: duration, messages: number, lowWaterMark: number)
                configuration.privacy.retention = policy
            }
            configuration.sync.duplicateSuppression.inConversations = true
            configuration.sync.duplicateSuppression.window = duration
            configuration.processes.pollingInterval = duration
            configuration.bufferBytes = number
            configuration.replayBytes = number
            configuration.idleFlushDelay = duration
            configuration.automaticCompaction?.erasedBytesAge = duration
            configuration.automaticCompaction?.freeBytes = number
        }
    }

    @Test("a store records, observes, delivers, sends and closes", arguments: Extreme.allCases)
    func store(extreme: Extreme) async throws {
        let place = try TemporaryStore()
        let store = try place.open { extreme.apply(to: &$0) }
        for number in 1...3 {
            let event = received(ServerMessageID("m\(number)"), at: Int64(number), text: "\(number)")
            try await store.record(event, acknowledgement: .visible)
        }
        let counts = Follower(store.observe(policy: .throttled(extreme.duration)) { try $0.unreadTotals().messages })
        #expect(try await counts.next() != nil)
        try await store.record(received("m4", at: 4, text: "4"))
        try await store.record(.recalled(.server("m4"), in: group, origin: .live))
        var options = SubscriptionOptions()
        (options.timeout, options.attempts) = (extreme == .greatest ? extreme.duration : .seconds(30), extreme.number)
        (options.retryDelay, options.maximumRetryDelay) = (extreme.duration, extreme.duration)
        let last = try store.lastPosition().rawValue
        await (try store.subscribe(TestSubscriber(), from: .beginning, options: options)).reaches(last)
        _ = try await store.send(.text("own"), to: group)
        let backOff = BackOff(
            delay: extreme.duration, longestDelay: extreme.duration, attempts: extreme.number, jitter: 0...(.infinity))
        let accepted = try await store.sendOutbox(backOff: backOff) { _ in .accepted(as: "own", at: ms(5)) }
        #expect(accepted == 1 && backOff.delay(after: .max) >= .zero)
        try await store.flush()
        #expect(try store.isConsistent())
        let position = try store.lastPosition()
        try await store.close()
        #expect(try place.withStore { try $0.lastPosition() } == position)
    }

    @Test("a clock shows any time", arguments: [Int64.min, -1, 0, .max])
    func clock(milliseconds: Int64) async throws {
        let place = try TemporaryStore()
        let now = Timestamp(milliseconds: milliseconds)
        let store = try place.open {
            $0.now = { now }
            $0.privacy.removedContent = .erase(after: .seconds(60))
        }
        try await store.record([
            Event(ConversationTimerChanged(MessageTimer(seconds: 60)), in: group), received("m1", at: 1_000),
            received("m2", at: 2_000),
        ])
        try await store.record(.recalled(.server("m1"), in: group, origin: .live))
        let own = try await store.send(.text("own"), to: group)
        try await store.record(.sent(own, as: "own", in: group, at: ms(3_000)))
        store.confirmClock()
        #expect(store.clockJump == nil)
        var policy = RetentionPolicy()
        policy.standard.age = .seconds(60)
        _ = try await store.retain(policy, isDryRun: true)
        _ = try await store.plan(freeing: 1 << 40)
        #expect(try store.lastPosition(recordedBy: .latest) == store.lastPosition())
        #expect(try store.isConsistent())
        try await store.close()
        #expect(try place.withStore { try $0.isConsistent() })
    }
}
