import Dispatch
import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// The delay of idle flushes and that of group commits are tested where those are.
@Suite("Delays and time-outs follow the configured clock", .timeLimit(.minutes(30)))
struct ConfiguredClockTests {
    private let clock = ManualClock()
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
    }

    private func open(_ change: (inout MessageStore.Configuration) -> Void = { _ in }) throws -> MessageStore {
        try place.open { configuration in
            configuration.clock = clock
            change(&configuration)
        }
    }

    @Test("a group commit that failed is tried again after a second")
    func groupCommitRetry() async throws {
        let faults = CommitFaults()
        let store = try open { faults.install(in: &$0) }
        faults.fail(next: 1)
        try await store.record([received("a", at: 1)], acknowledgement: .visible)
        await clock.waitForSleeper(until: .milliseconds(10))
        clock.advance(by: .milliseconds(10))
        await clock.waitForSleeper(until: .milliseconds(1010))
        #expect(try store.lastDurablePosition() == .origin)
        clock.advance(by: .seconds(1))
        try await store.wait { try store.lastDurablePosition() == Position(1) }
        try await store.close()
    }

    @Test("requests for profiles are collected until the delay is over")
    func collectionDelay() async throws {
        let provider = FakeProfileProvider()
        let store = try open { $0.hooks.profileProvider = provider }
        _ = try store.profile("a")
        await clock.waitForSleeper(until: .milliseconds(20))
        clock.advance(by: .milliseconds(19))
        _ = try store.profile("b")
        #expect(provider.calls == [])
        clock.advance(by: .milliseconds(1))
        await provider.asked.wait { !$0.isEmpty }
        #expect(provider.calls == [["a", "b"]])
        try await store.close()
    }

    @Test("a profile provider that hangs is given up when its time is over")
    func profileTimeout() async throws {
        let gate = TestGate()
        let provider = FakeProfileProvider { _, _ in
            await gate.wait()
            return []
        }
        let store = try open { configuration in
            configuration.hooks.profileProvider = provider
            configuration.hooks.profileTimeout = .seconds(7)
        }
        let fetching = Task { try await store.fetchProfiles(["a"]) }
        await clock.waitForSleeper(until: .milliseconds(20))
        clock.advance(by: .milliseconds(20))
        await clock.waitForSleeper(until: .milliseconds(7020))
        clock.advance(by: .seconds(7))
        #expect(try await fetching.value.map(\.hasFailed) == [true])
        gate.open()
        try await store.close()
    }

    @Test("a message filter that hangs is given up once for a whole batch", arguments: [false, true])
    func filterTimeout(isAsync: Bool) async throws {
        let gate = TestGate()
        let filter = FakeMessageFilter { messages, conversation in
            if conversation == peer { await gate.wait() }
            return messages.map { _ in .hide }
        }
        let store = try open { configuration in
            configuration.hooks.messageFilter = filter
            configuration.hooks.filterTimeout = .seconds(3)
        }
        let others = [received("b", at: 2, in: peer), received("c", at: 3, in: .group("later"))]
        let recording = Task { [events = [received("a", at: 1)] + others] in
            if isAsync { try await store.record(events) } else { try await blockingRecord(events, in: store) }
        }
        await clock.waitForSleeper(until: .seconds(3))
        await filter.seen.wait { $0 == ["a", "b"] }
        #expect(try store.lastPosition() == .origin)
        clock.advance(by: .seconds(3))
        try await recording.value
        #expect(try store.texts() == [], "it had answered for this conversation in time")
        #expect(try store.texts(of: peer) == ["b"])
        #expect(try store.texts(of: .group("later")) == ["c"])
        #expect(filter.asked == ["a", "b"], "nothing is asked once the time is over")
        gate.open()
        try await store.close()
    }

    /// Makes the synchronous call on a thread that may block.
    private func blockingRecord(_ events: [Event], in store: MessageStore) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { _ = try store.record(events) })
            }
        }
    }
}
