import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I3: replay, verification and rebuilding")
struct TimeTravelTests {
    /// What a position looks like through queries.
    struct Picture: Equatable {
        var conversations: [Conversation]
        var page: TimelinePage
        var totals: UnreadTotals
        var outbox: [Message]

        init(_ views: borrowing Views) throws {
            conversations = try views.conversations(limit: 1000).elements
            page = try views.timeline(of: group, limit: 1000)
            totals = try views.unreadTotals(includesMuted: true)
            outbox = try views.outbox()
        }
    }

    private let batches: [[Event]] = [
        [created("G", members: ["me", "bob"]), received("a", at: 10), received("b", at: 20)],
        [queued("mine", token: "t"), received("x", at: 15, in: peer)],
        [sent(LocalMessageID(4), "s", at: 25), muted(), recalled("b")],
        [read(), received("c", at: 30), received("late", at: 12), profiles([("bob", "B")])],
        [modified("c", "new", at: 40), deleted("a"), conversationDeleted(in: peer), pinned()],
        [readByPeer(.upTo(ms(25)), at: 50), cleared(order(20)), received("y", at: 60, in: peer), muted(false)],
    ]

    @Test(
        "I3: a replay to a past position shows what was shown then, and has its digests",
        arguments: [48 << 20, 64 << 10])
    func past(bufferBytes: Int) throws {
        try withTemporaryStore({ ($0.bufferBytes, $0.replayBytes) = (bufferBytes, bufferBytes) }) { store throws in
            var past: [(Position, [ProjectionID: UInt64], Picture)] = []
            for batch in batches {
                let result = try store.record(batch)
                past.append((result.lastPosition, try store.digests(), try store.read { try Picture($0) }))
                if past.count == 3 { try store.flush() }
            }
            for (position, digests, picture) in past {
                #expect(try store.digests(at: position) == digests)
                try store.replay(to: position) { views throws in
                    #expect(views.position == position)
                    #expect(try Picture(views) == picture)
                }
            }
            #expect(try store.replay(to: .origin) { try $0.conversations().elements.isEmpty })
            expectError(.invalidArgument) { _ = try store.digests(at: Position(99)) }
        }
    }

    @Test("I3: a message of the future is not there in the past, nor an anchor")
    func future() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), received("b", at: 2))
            try store.replay(to: Position(1)) { views throws in
                #expect(try views.message(.server("b"), in: group) == nil)
                #expect(try views.message(LocalMessageID(2)) == nil)
            }
            expectError(.notFound) {
                _ = try store.replay(to: Position(1)) {
                    try $0.timeline(of: group, .before(.message(.local(LocalMessageID(2)))))
                }
            }
        }
    }

    @Test("I3: equal events give equal views, whatever the packages and the buffer", arguments: [1, 7, 200, 5000])
    func packagesDoNotMatter(size: Int) throws {
        let workload = WorkloadGenerator(.fitted, eventCount: TestSize.of(plain: 1_000, full: 3_000))
        let events = workload.map { workload.directory.event($0) }
        func digests(_ size: Int, _ bufferBytes: Int) throws -> [ProjectionID: UInt64] {
            let place = try TemporaryStore()
            let store = try place.open(account: workload.directory.accountID) {
                ($0.bufferBytes, $0.replayBytes) = (bufferBytes, bufferBytes)
            }
            let count = size == 1 ? TestSize.of(plain: 100, full: 300) : events.count
            for start in stride(from: 0, to: count, by: size) {
                try store.record(Array(events[start..<min(start + size, events.count)]))
            }
            if size == 1 { try store.record(Array(events[count...])) }
            #expect(try store.isConsistent())
            defer { try? store.close() }
            return try store.digests()
        }
        #expect(try digests(size, 64 << 10) == digests(500, 48 << 20))
    }
}
