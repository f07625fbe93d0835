import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("reading and following the log", .timeLimit(.minutes(30)))
struct EventQueryTests {
    private func withEvents(_ body: (MessageStore) throws -> Void) throws {
        let place = try TemporaryStore()
        let store = try place.open()
        for number in 1...6 {
            let key = number % 2 == 0 ? peer : group
            try store.record(received(ServerMessageID("m\(number)"), at: Int64(number * 10), in: key))
            place.time.move(byMilliseconds: 1000)
        }
        try store.record([pinned(), muted()])
        try body(store)
        try store.close()
    }

    private static let start: Int64 = 1_700_000_000_000

    @Test(
        "filters by type, conversation, server time and recorded time, in both directions",
        arguments: [
            (EventFilter.all, Array(1...8)), (EventFilter(types: [.messageReceived]), Array(1...6)),
            (EventFilter(conversation: peer), [2, 4, 6]), (EventFilter(conversation: .group("none")), []),
            (EventFilter(types: []), []), (EventFilter(serverTime: ms(20)...ms(40)), [2, 3, 4]),
            (EventFilter(conversation: group, serverTime: ms(20)...ms(50)), [3, 5]),
            (EventFilter(recordedTime: ms(start + 1000)...ms(start + 2999)), [2, 3]),
            (EventFilter(recordedTime: ms(start + 6000)...ms(start + 6000)), [7, 8]),
            (EventFilter(recordedTime: ms(0)...ms(5)), []), (EventFilter(recordedTime: ms(0)...ms(.max)), Array(1...8)),
        ] as [(EventFilter, [UInt64])])
    func filters(filter: EventFilter, positions: [UInt64]) throws {
        try withEvents { store throws in
            #expect(try store.events(where: filter).map(\.position.rawValue) == positions)
            let backwards = try store.events(order: .descending, where: filter).map(\.position.rawValue)
            #expect(backwards == positions.reversed())
        }
    }

    @Test("ranges and limits; a commit is named by its first position")
    func ranges() throws {
        try withEvents { store throws in
            #expect(try store.events(from: .origin, limit: 2).map(\.position.rawValue) == [1, 2])
            #expect(try store.events(from: Position(7), to: Position(99)).map(\.position.rawValue) == [7, 8])
            #expect(try store.events(from: Position(9)).isEmpty)
            #expect(try store.events(from: Position(5), to: Position(4)).isEmpty)
            #expect(try store.events(order: .descending, limit: 1).map(\.position.rawValue) == [8])
            #expect(try store.events(limit: 0).isEmpty)
            #expect(try store.events().map(\.commit.rawValue) == [1, 2, 3, 4, 5, 6, 7, 7])
        }
    }

    @Test("a tail gives past and live events without gap or repetition, and ends when the store is closed")
    func tail() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        for number in 0..<300 { try await store.record([received(ServerMessageID("p\(number)"), at: 1)]) }
        let following = Follower(store.tail(after: Position(10)))
        for number in 0..<100 { try await store.record([received(ServerMessageID("l\(number)"), at: 2)]) }
        var reached = false
        for try await event in store.tail(after: Position(399)) where event.position == Position(400) {
            reached = true
            break
        }
        #expect(reached)
        var seen: [UInt64] = []
        while seen.count < 390, let event = try await following.next() { seen.append(event.position.rawValue) }
        #expect(seen == Array(11...400))
        try await store.close()
        #expect(try await following.rest().isEmpty)
    }

    @Test("a tail after a position that the log has not reached begins with the first event after it")
    func tailBeyondEnd() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await store.record(received("m1", at: 1))
        let never = Follower(store.tail(after: Position(.max)))
        var tail = EventTail.Iterator(store: store, reached: Position(3), filter: .all)
        let next = try await tail.next { reached in
            #expect(reached == Position(3))
            for number in 2...5 { _ = try? await store.record([received(ServerMessageID("m\(number)"), at: 2)]) }
        }
        #expect(next?.position == Position(4))
        try await store.close()
        #expect(try await never.rest().isEmpty)
    }

    @Test("a tail ends when its task is cancelled")
    func cancelledTail() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let following = Task {
            for try await _ in store.tail(after: .origin) {}
            return true
        }
        following.cancel()
        #expect(try await following.value)
        try await store.close()
    }

    /// Waits until a flush that something starts has committed: one that is called then comes after it.
    private static func commit(_ commits: Watched<Int>, _ store: MessageStore, _ start: () -> Void) async throws {
        let before = commits.value
        start()
        await commits.wait { $0 > before }
        try await store.flush()
    }

    @Test("buffered rows are written once nothing was appended for a while, unless they are few")
    func idleFlush() async throws {
        let place = try TemporaryStore()
        // Only commits of views that are there are noted.
        try await place.open().close()
        let (clock, commits) = (ManualClock(), Watched(0))
        let store = try place.open { configuration in
            configuration.clock = clock
            configuration.idleFlushDelay = .seconds(2)
            configuration.viewCommitFault = { commits.change { $0 += 1 } }
        }
        try await store.record((1...2000).map { received(ServerMessageID("m\($0)"), at: Int64($0)) })
        await clock.waitForSleeper(until: .seconds(2))
        clock.advance(by: .seconds(1))
        try await store.record([received("b", at: 3000)])
        clock.advance(by: .seconds(1))
        await clock.waitForSleeper(until: .seconds(3))
        await #expect(try store.statistics().checkpointPosition == .origin, "something was appended meanwhile")
        try await Self.commit(commits, store) { clock.advance(by: .seconds(1)) }
        await #expect(try store.statistics().checkpointPosition == Position(2001))
        await #expect(try store.statistics().bufferedRows == 0)
        // A lone send and those after it.
        var (delay, sends) = (Duration.seconds(5), 0)
        repeat {
            try await store.record([received(ServerMessageID("n\(sends)"), at: Int64(4000 + sends))])
            sends += 1
            await clock.waitForSleeper(until: delay)
            clock.advance(by: .seconds(2))
            delay += .seconds(2)
        } while try await store.statistics().checkpointPosition == Position(2001) && sends < 2000
        #expect((50..<1000).contains(sends), "\(sends)")
        try await store.close()
    }

    @Test("events that change few rows again and again are written when they are many")
    func idleFlushOfFewRows() async throws {
        let place = try TemporaryStore()
        // Only commits of views that are there are noted.
        try await place.open().close()
        let (clock, commits) = (ManualClock(), Watched(0))
        let store = try place.open { configuration in
            configuration.clock = clock
            configuration.idleFlushDelay = .seconds(2)
            configuration.viewCommitFault = { commits.change { $0 += 1 } }
        }
        func change(_ count: Int) async throws {
            try await store.record((1...count).map { Event(ConversationDraftChanged("\($0)"), in: .group("g")) })
        }
        try await change(1000)
        await clock.waitForSleeper(until: .seconds(2))
        clock.advance(by: .seconds(2))
        try await change(1)
        await clock.waitForSleeper(until: .seconds(4))
        await #expect(try store.statistics().checkpointPosition == .origin)
        try await Self.commit(commits, store) { clock.advance(by: .seconds(2)) }
        await #expect(try store.statistics().checkpointPosition == Position(1001))
        try await store.close()
    }
}
