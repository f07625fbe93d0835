import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("D15–D18: refreshes of a store in an offline sync", .timeLimit(.minutes(30)))
struct RefreshPolicyTests {
    private struct Shown: Hashable {
        var messages = 0
        var completions = 0
    }

    private let started = Event(OfflineSyncStarted(session: "s"), origin: .offline)
    private let completed = Event(OfflineSyncCompleted(), origin: .offline)
    private let clock = ManualClock()
    private let place: TemporaryStore
    private let store: MessageStore
    private let runs = Counter()

    init() throws {
        place = try TemporaryStore()
        let clock = clock
        store = try place.open { $0.clock = clock }
    }

    /// What a list shows: messages, and whether the sync is over. Counts its runs.
    private func observe(_ policy: RefreshPolicy) -> Follower<Shown> {
        let runs = runs
        return Follower(
            store.observe(policy: policy) { views in
                runs.increment()
                let completions = try views.syncProgress().completions
                return Shown(messages: try views.unreadTotals().messages, completions: completions)
            })
    }

    /// Whether the query ran as often as that, or once more: what completes the sync can be read before it wakes the
    /// query, which then runs again for the same value, and that is not delivered.
    private func isUpTo(_ count: Int) -> Bool { (count...count + 1).contains(runs.value) }

    private func ingest(_ index: Int, of count: Int) throws {
        let messages = (0..<200).map { number in
            received(ServerMessageID("\(index)-\(number)"), at: Int64(1 + index * 200 + number), origin: .offline)
        }
        try store.ingest(OfflinePackage(index: UInt32(index), events: messages, hasMore: index + 1 < count))
    }

    @Test("D15, D18: each package is a refresh; the sync's start and end, which change no message, are not shown")
    func perPackage() async throws {
        for count in [1, 50] {
            let place = try TemporaryStore()
            let store = try place.open()
            let totals = Follower(store.observeUnreadTotals())
            #expect(try await totals.next()?.messages == 0)
            try await store.record(started)
            for index in 0..<count {
                let messages = (0..<200).map { received(ServerMessageID("\(index)-\($0)"), at: 1, origin: .offline) }
                try await store.ingest(
                    OfflinePackage(index: UInt32(index), events: messages, hasMore: index + 1 < count))
                #expect(try await totals.next()?.messages == 200 * (index + 1))
            }
            try await store.record(completed)
            try await store.record(received("last", at: 2))
            #expect(try await totals.next()?.messages == 200 * count + 1)
            try await store.close()
            #expect(try await totals.rest().isEmpty)
        }
    }

    @Test("D16, D18: one refresh when the sync completes, however large", arguments: [1, 50])
    func onCompletion(count: Int) async throws {
        let shown = observe(.onCompletion)
        #expect(try await shown.next() == Shown())
        try await store.record(started)
        for index in 0..<count { try ingest(index, of: count) }
        #expect(runs.value == 1)
        try await store.record(completed)
        #expect(try await shown.next() == Shown(messages: 200 * count, completions: 1))
        #expect(isUpTo(2))
        try await store.record(received("live", at: 1))
        #expect(try await shown.next() == Shown(messages: 200 * count + 1, completions: 1))
        try await store.close()
        #expect(try await shown.rest().isEmpty)
    }

    @Test("D17, D18: 200 messages in 0.1 s: the window's refresh and the final one")
    func throttledSmall() async throws {
        let shown = observe(.throttled(.milliseconds(100)))
        #expect(try await shown.next() == Shown())
        try await store.record(started)
        try ingest(0, of: 1)
        await clock.waitForSleeper(until: .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        #expect(try await shown.next() == Shown(messages: 200))
        try await store.record(completed)
        #expect(try await shown.next() == Shown(messages: 200, completions: 1))
        #expect(isUpTo(1 + 2))
        try await store.close()
        #expect(try await shown.rest().isEmpty)
    }

    @Test("D17, D18: 10,000 messages in 1 s: two windows' refreshes and the final one, which drops the window")
    func throttledLarge() async throws {
        let shown = observe(.throttled(.milliseconds(500)))
        #expect(try await shown.next() == Shown())
        try await store.record(started)
        for half in 0..<2 {
            for index in 0..<25 {
                try ingest(25 * half + index, of: 50)
                if index == 0 { await clock.waitForSleeper(until: .milliseconds(500 * (half + 1))) }
                clock.advance(by: .milliseconds(20))
            }
            #expect(try await shown.next() == Shown(messages: 5000 * (half + 1)))
        }
        // Opens a window that the completion drops.
        try await store.record(received("late", at: 1))
        await clock.waitForSleeper(until: .milliseconds(1500))
        try await store.record(completed)
        #expect(try await shown.next() == Shown(messages: 10_001, completions: 1))
        #expect(isUpTo(1 + 3))
        clock.advance(by: .milliseconds(200))
        try await store.record(received("live", at: 1))
        await clock.waitForSleeper(until: .milliseconds(1700))
        clock.advance(by: .milliseconds(300))
        #expect(isUpTo(1 + 3))
        clock.advance(by: .milliseconds(200))
        #expect(try await shown.next() == Shown(messages: 10_002, completions: 1))
        try await store.close()
        #expect(try await shown.rest().isEmpty)
    }

    @Test("D15–D17: consumers with different policies see the same store each in its own time")
    func differentPolicies() async throws {
        let each = Follower(store.observeSyncProgress())
        let whole = Follower(store.observeSyncProgress(policy: .onCompletion))
        let windows = Follower(store.observeSyncProgress(policy: .throttled(.seconds(1))))
        for follower in [each, whole, windows] { #expect(try await follower.next()?.isSyncing == false) }
        try await store.record(started)
        #expect(try await each.next()?.isSyncing == true)
        await clock.waitForSleeper(until: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await windows.next()?.isSyncing == true)
        try ingest(0, of: 1)
        #expect(try await each.next()?.messages == 200)
        try await store.record(completed)
        for follower in [each, whole, windows] {
            let last = try await follower.next()
            #expect(last?.isSyncing == false && last?.messages == 200 && last?.completions == 1)
        }
        try await store.close()
        for follower in [each, whole, windows] { #expect(try await follower.rest().isEmpty) }
    }

    @Test("an open window ends with its task and with the store")
    func endInWindow() async throws {
        for closes in [true, false] {
            let place = try TemporaryStore()
            let clock = ManualClock()
            let store = try place.open { $0.clock = clock }
            let totals = Follower(store.observeUnreadTotals(policy: .throttled(.seconds(1))))
            _ = try await totals.next()
            try await store.record(received("a", at: 1))
            await clock.waitForSleeper(until: .seconds(1))
            if closes { try await store.close() } else { totals.cancel() }
            #expect(try await totals.rest().isEmpty)
        }
    }
}
