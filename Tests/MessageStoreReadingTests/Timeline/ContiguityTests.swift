import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d27: stretches of history without holes")
struct ContiguityTests {
    private func withMessages(_ body: (MessageStore) throws -> Void) throws {
        try withTemporaryStore { store throws in
            try store.record((0..<10).map { received(ServerMessageID("m\($0)"), at: Int64($0 * 10), origin: .history) })
            try body(store)
        }
    }

    private func at(_ number: Int) -> MessageOrder { order(Int64(number * 10), ServerMessageID("m\(number)")) }

    @Test("without loaded history nothing is known to be contiguous")
    func nothingLoaded() throws {
        try withMessages { store throws in
            let page = try store.page()
            #expect(!page.isContiguous && !page.reachesBeginning)
        }
    }

    @Test("a page within a loaded stretch is contiguous, one across its end is not")
    func withinAndAcross() throws {
        try withMessages { store throws in
            try store.record(historyPage(newest: at(6), oldest: at(3)))
            #expect(try store.page(.before(.message(.server("m7"))), limit: 4).isContiguous)
            #expect(try store.page(.before(.message(.server("m7"))), limit: 5).isContiguous == false)
            #expect(try store.page(.before(.message(.server("m8"))), limit: 4).isContiguous == false)
        }
    }

    @Test(
        "overlapping and touching stretches merge, in any order",
        arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]])
    func merging(orders: [Int]) throws {
        try withMessages { store throws in
            let pages = [
                historyPage(newest: at(9), oldest: at(6), end: true), historyPage(newest: at(6), oldest: at(3)),
                historyPage(newest: at(4), oldest: at(0), beginning: true),
            ]
            for index in orders { try store.record(pages[index]) }
            let page = try store.page()
            #expect(page.isContiguous && page.reachesBeginning)
            #expect(try store.isConsistent())
        }
    }

    @Test("stretches with a hole between them do not merge")
    func hole() throws {
        try withMessages { store throws in
            try store.record(historyPage(newest: at(9), oldest: at(6)), historyPage(newest: at(4), oldest: at(0)))
            #expect(try store.page().isContiguous == false)
            #expect(try store.page(limit: 4).isContiguous)
            #expect(try store.page(.before(.message(.server("m5")))).isContiguous)
        }
    }

    @Test("ends without ids take in every message of their time")
    func endsWithoutIDs() throws {
        try withMessages { store throws in
            try store.record(historyPage(newest: order(60), oldest: order(30), beginning: true))
            let page = try store.page(.before(.message(.server("m7"))), limit: 4)
            #expect(page.isContiguous && page.reachesBeginning)
        }
    }

    @Test(
        "d27: a live message starts a new edge, where sessions are recorded or not; a page that covers it closes the gap",
        arguments: [false, true])
    func liveMessage(hasSessions: Bool) throws {
        try withMessages { store throws in
            try store.record(historyPage(newest: at(9), oldest: at(0), beginning: true, end: true))
            if hasSessions { try store.record(connected) }
            try store.record(received("live", at: 200))
            let page = try store.page()
            #expect(!page.isContiguous && page.reachesBeginning && page.hasGapAfter != hasSessions)
            #expect(try store.page(limit: 1).hasGapBefore)
            try store.record(historyPage(newest: order(200, "live"), oldest: at(9)))
            #expect(try store.page().isContiguous)
        }
    }

    @Test("d27: what arrives in one session, or in sessions that a sync joins, has no holes", arguments: [false, true])
    func sessions(isSynced: Bool) throws {
        try withMessages { store throws in
            try store.record(connected)
            try store.record(received("a", at: 200))
            try store.record(received("b", at: 201))
            #expect(try store.page(limit: 2).isContiguous)
            try store.record(connected)
            if isSynced { try store.record(Event(OfflineSyncCompleted())) }
            try store.record(received("c", at: 202))
            #expect(try store.page(limit: 2).isContiguous == isSynced)
            #expect(try store.page(limit: 1).hasGapBefore != isSynced)
        }
    }

    @Test("d27: a hole that the server tells of stands until history closes it, and counts are lower bounds")
    func reportedGap() throws {
        try withMessages { store throws in
            try store.record(connected)
            try store.record(received("a", at: 200))
            #expect(try store.unread().isLowerBound == false)
            try store.record(Event(HistoryGapFound(before: order(300, "b")), in: group))
            try store.record(received("b", at: 300))
            #expect(try store.page(limit: 2).isContiguous == false)
            #expect(try store.unread().isLowerBound)
            try store.record(historyPage(newest: order(300, "b"), oldest: order(200, "a")))
            #expect(try store.page(limit: 2).isContiguous)
            #expect(try store.unread().isLowerBound == false)
        }
    }

    @Test("d27: a live message below a gap does not close it, nor does a sync that completes")
    func belowGap() throws {
        try withTemporaryStore { store throws in
            func live(_ number: Int) -> Event { received(ServerMessageID("m\(number)"), at: Int64(number * 10)) }
            try store.record(Event(OfflineSyncStarted()), Event(OfflineSyncCompleted()), live(1))
            try store.record(Event(SessionStateChanged(.disconnected)), live(2))
            try store.record(received("m4", at: 40, origin: .history), Event(HistoryGapFound(), in: group))
            try store.record(Event(OfflineSyncStarted()), live(3), Event(OfflineSyncCompleted()), live(6))
            #expect(try store.page(limit: 2).isContiguous == false)
            #expect(try store.page(.before(.message(.server("m6")))).isContiguous)
            #expect(try store.isConsistent())
        }
    }

    @Test(
        "d27: a gap that the server reports within a loaded stretch, or below it, splits it and leaves the one above",
        arguments: [false, true])
    func gapWithin(isBelowHead: Bool) throws {
        try withMessages { store throws in
            if isBelowHead { try store.record(connected, received("live", at: 200)) }
            func isContiguous(_ range: ClosedRange<Int>) throws -> Bool {
                let end = MessageReference.server(ServerMessageID("m\(range.upperBound + 1)"))
                return try store.page(.before(.message(end)), limit: range.count).isContiguous
            }
            try store.record(historyPage(newest: at(8), oldest: at(3)))
            try store.record(Event(HistoryGapFound(before: at(5)), in: group))
            #expect(try isContiguous(3...4) && isContiguous(5...8))
            #expect(try !isContiguous(4...5))
            try store.record(Event(HistoryGapFound(before: at(2)), in: group))
            #expect(try isContiguous(3...4) && isContiguous(5...8))
            #expect(try !isContiguous(1...2) && !isContiguous(2...3) && !isContiguous(4...5))
            #expect(try store.isConsistent())
        }
    }

    @Test("d27: a gap that the server reports below what came live meanwhile stays when the sync completes")
    func gapInSync() throws {
        try withTemporaryStore { store throws in
            func package(_ number: Int) -> Event {
                received(ServerMessageID("m\(number)"), at: Int64(number * 10), origin: .offline)
            }
            try store.record(connected, Event(OfflineSyncStarted()), package(4), Event(OfflineSyncCompleted()))
            try store.record(connected, Event(OfflineSyncStarted()), received("m7", at: 70))
            try store.record(Event(HistoryGapFound(before: at(6)), in: group), package(6))
            try store.record(Event(OfflineSyncCompleted()))
            #expect(try store.page(limit: 2).isContiguous)
            #expect(try store.page(limit: 3).isContiguous == false)
        }
    }

    @Test(
        "d27: a sync closes no gap above the message that it delivers, where only syncs are recorded",
        arguments: [1, 2])
    func syncBelowGap(newest: Int) throws {
        try withTemporaryStore { store throws in
            func package(_ number: Int) -> Event {
                received(ServerMessageID("m\(number)"), at: Int64(number * 10), origin: .offline)
            }
            try store.record(Event(OfflineSyncStarted()), package(5), Event(OfflineSyncCompleted()))
            try store.record(Event(HistoryGapFound(), in: group))
            try store.record(Event(OfflineSyncStarted()))
            // The message above the gap comes before or after the one below it.
            try store.record(newest == 1 ? [package(9), package(3)] : [package(3), package(9)])
            try store.record(Event(OfflineSyncCompleted()))
            #expect(try store.page(limit: 2).isContiguous == false)
            #expect(try store.page(.before(.message(.server("m9"))), limit: 2).isContiguous)
        }
    }

    @Test("a page whose oldest end is newer than its newest is refused")
    func swappedEnds() throws {
        try withMessages { store throws in
            expectError(.invalidArgument) { try store.record(historyPage(newest: at(3), oldest: at(6))) }
        }
    }

    @Test("stretches of one conversation say nothing of another")
    func otherConversation() throws {
        try withMessages { store throws in
            try store.record(historyPage(newest: at(9), oldest: at(0), in: peer))
            #expect(try store.page().isContiguous == false)
        }
    }

    private var connected: Event { Event(SessionStateChanged(.connected)) }
}
