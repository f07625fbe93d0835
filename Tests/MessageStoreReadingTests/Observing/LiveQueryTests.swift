import Dispatch
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Live queries", .timeLimit(.minutes(30)))
struct LiveQueryTests {
    private struct Refused: Error {}

    private let place: TemporaryStore
    private let store: MessageStore

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
    }

    private func record(_ number: Int) throws -> Position {
        try #require(try store.record(received(ServerMessageID("m\(number)"), at: Int64(number + 1))).position)
    }

    @Test("I7: a value asked for after an append returned is not older, and values never go back")
    func readsOwnWrites() async throws {
        let noise = Task.detached { [store] in
            for number in 0..<300 { try await store.record(received(ServerMessageID("n\(number)"), at: 1)) }
        }
        var positions = store.observe { $0.position }.makeAsyncIterator()
        var last = Position.origin
        for number in 0..<300 {
            let position = try record(number)
            let seen = try await positions.next() ?? .origin
            #expect(seen >= position && seen > last)
            last = seen
        }
        try await noise.value
        let end = try store.lastPosition()
        while last < end, let seen = try await positions.next() { last = seen }
        #expect(last == end)
        try await store.close()
    }

    @Test("a query can be observed where it is written, in the head of a loop")
    func inLoop() async throws {
        _ = try record(0)
        for try await badge in store.observe({ try $0.unreadTotals().badge }) {
            #expect(badge == 1)
            break
        }
        for try await badge in store.observe(policy: .onCompletion, { try $0.unreadTotals().badge }) {
            #expect(badge == 1)
            break
        }
    }

    @Test("a slow consumer gets the newest value only, and the query runs once for all changes between")
    func coalescing() async throws {
        let runs = Counter()
        var counts = store.observe { views in
            runs.increment()
            return try views.unreadTotals().messages
        }.makeAsyncIterator()
        var seen = [try await counts.next()]
        for number in 0..<100 { _ = try record(number) }
        seen.append(try await counts.next())
        _ = try record(100)
        seen.append(try await counts.next())
        #expect(seen == [0, 100, 101])
        #expect(runs.value == 3)
    }

    @Test("a value that is the one delivered last is not delivered again")
    func equalValues() async throws {
        let totals = Follower(store.observeUnreadTotals())
        #expect(try await totals.next()?.messages == 0)
        try await store.record(created("name"))
        try await store.record(pinned())
        _ = try record(0)
        #expect(try await totals.next()?.messages == 1)
        try await store.close()
        #expect(try await totals.rest().isEmpty)
    }

    @Test("iteration ends when its task is cancelled, and the store goes on")
    func cancellation() async throws {
        let totals = Follower(store.observeUnreadTotals())
        _ = try await totals.next()
        totals.cancel()
        #expect(try await totals.rest().isEmpty)
        _ = try record(0)
        #expect(try store.unread().messages == 1)
    }

    @Test("iteration ends when the store is closed, and has no value where it is closed already")
    func closing() async throws {
        let live = store.observeUnreadTotals()
        let totals = Follower(live)
        _ = try await totals.next()
        try await store.close()
        #expect(try await totals.rest().isEmpty)
        #expect(try await Follower(live).rest().isEmpty)
    }

    @Test("what a query throws ends its own iteration only")
    func throwingQuery() async throws {
        let others = Follower(store.observeUnreadTotals())
        _ = try await others.next()
        let failing = Follower(
            store.observe { views in
                let count = try views.unreadTotals().messages
                if count == 1 { throw Refused() }
                return count
            })
        #expect(try await failing.next() == 0)
        _ = try record(0)
        await #expect(throws: Refused.self) { try await failing.next() }
        _ = try record(1)
        #expect(try await failing.next() == nil)
        #expect(try store.unread().messages == 2)
        var latest = 0
        while latest < 2 { latest = try #require(try await others.next()).messages }
    }

    @Test("the store's own errors come through, and a query that uses the store throws nestedAccess")
    func storeErrors() async throws {
        let window = Follower(store.observeTimeline(of: group, limit: 0))
        let nested = Follower(store.observe { [store] _ -> Position in try store.lastPosition() })
        let asks = [{ _ = try await window.next() }, { _ = try await nested.next() }]
        for (ask, code) in zip(asks, [StoreError.Code.invalidArgument, .nestedAccess]) {
            let error = await #expect(throws: StoreError.self) { try await ask() }
            #expect(error?.code == code)
        }
    }

    @Test("a consumer, of the main actor as well, may record into the store that it observes")
    @MainActor
    func reentrancy() async throws {
        var seen: [Int] = []
        let counts = store.observe { try $0.unreadTotals().messages }
        for try await count in counts {
            seen.append(count)
            guard count < 20 else { break }
            if count.isMultiple(of: 2) {
                try await store.record([received(ServerMessageID("m\(count)"), at: 1)])
            } else {
                _ = try record(count)
            }
        }
        #expect(seen == Array(0...20))
    }

    @Test("a query that blocks holds back neither appends nor other consumers")
    func blockingQuery() async throws {
        let (entered, gate) = (TestGate(), DispatchSemaphore(value: 0))
        let blocked = Follower(
            store.observe { views in
                entered.open()
                gate.wait()
                return try views.unreadTotals().messages
            })
        await entered.wait()
        let others = Follower(store.observeUnreadTotals())
        #expect(try await others.next()?.messages == 0)
        for number in 0..<10 {
            _ = try record(number)
            #expect(try await others.next()?.messages == number + 1)
        }
        gate.signal()
        #expect(try await blocked.next() == 0, "the value is of the moment when the query began")
        gate.signal()
        #expect(try await blocked.next() == 10)
        try await store.close()
    }

    @Test("I11: redacted words go from what is observed")
    func redaction() async throws {
        let position = try #require(try await store.record(received("a", at: 1, text: "secret")).position)
        let window = Follower(store.observeTimeline(of: group))
        #expect(try await window.next()?.texts == ["secret"])
        try await store.redact(position)
        #expect(try await window.next()?.texts == [""])
    }

    @Test("C5, C9: an observed profile is fetched, shown, and fetched again when it was invalidated")
    func profile() async throws {
        let provider = FakeProfileProvider()
        let other = try TemporaryStore()
        let store = try other.open { configuration in
            configuration.hooks.profileProvider = provider
            configuration.hooks.profileDelay = .zero
        }
        let profile = Follower(store.observeProfile("a"))
        #expect(try await profile.next()?.isPlaceholder == true)
        #expect(try await profile.next()?.displayName == "a 1")
        try await store.record(Event(ProfileInvalidated(["a"])))
        var latest = try #require(try await profile.next())
        while latest.isStale { latest = try #require(try await profile.next()) }
        #expect(latest.displayName == "a 2")
        try await store.close()
    }
}
