import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("C17, B40–B42, B52, d3, d27: history from a host's provider", .timeLimit(.minutes(30)))
struct HistoryTests {
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
    }

    private func open(_ provider: FakeHistoryProvider?) throws -> MessageStore {
        try place.open { $0.hooks.historyProvider = provider }
    }

    private func names(_ range: ClosedRange<Int>) -> [String] { range.map { "m\($0)" } }

    private func live(_ number: Int) -> Event {
        received(ServerMessageID("m\(number)"), at: Int64(number * 10))
    }

    @Test("B40, B41: paging reaches the beginning, each page is asked for once, and then nothing is asked any more")
    func paging() async throws {
        let provider = FakeHistoryProvider(45)
        let store = try open(provider)
        for _ in 0..<2 {
            var texts: [String] = []
            var page = try await store.history(of: group)
            while !page.elements.isEmpty {
                #expect(page.isContiguous)
                texts = page.texts + texts
                let anchor = try TimelineAnchor.message(.server(#require(page.elements.first?.serverID)))
                if page.reachesBeginning && !page.hasOlder { break }
                page = try await store.history(of: group, .before(anchor))
            }
            #expect(texts == names(1...45))
            #expect(page.reachesBeginning && !page.hasOlder)
        }
        #expect(provider.questions.map(\.anchor) == [nil, FakeHistoryProvider.place(26), FakeHistoryProvider.place(6)])
        #expect(provider.questions.allSatisfy { $0.limit == 20 })
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("d27: a live message is not taken for contiguous; the page that covers it closes the gap (I4)")
    func overlap() async throws {
        let provider = FakeHistoryProvider(30)
        let store = try open(provider)
        try await store.record([live(5), live(28), live(30)])
        let newest = try await store.history(of: group, limit: 10)
        #expect(newest.texts == names(21...30) && newest.isContiguous)
        let older = try await store.history(of: group, .before(.message(.server("m21"))), limit: 10)
        #expect(older.texts == names(11...20), "not m5, which lies beyond a hole")
        let oldest = try await store.history(of: group, .before(.message(.server("m11"))), limit: 10)
        #expect(oldest.texts == names(1...10) && oldest.reachesBeginning)
        await #expect(try store.events(where: EventFilter(types: [.messageReceived])).count == 30)
        try await store.record(live(31))
        #expect(
            try await store.history(of: group, .before(.message(.server("m31"))), limit: 10).texts == names(21...30))
        #expect(provider.questions.count == 4)
        try await store.close()
    }

    @Test("I6: a page and its mark are one commit, of the origin history")
    func commit() async throws {
        let store = try open(FakeHistoryProvider(3))
        _ = try await store.history(of: group)
        let events = try await store.events()
        #expect(
            events.map(\.event.type) == [.messageReceived, .messageReceived, .messageReceived, .historyPageLoaded])
        #expect(events.allSatisfy { $0.commit == Position(1) && $0.event.origin == .history })
        guard let loaded = events.last?.event.payload as? HistoryPageLoaded else { return }
        #expect(loaded.newest == FakeHistoryProvider.place(3) && loaded.oldest == FakeHistoryProvider.place(1))
        #expect(loaded.reachesBeginning && loaded.reachesEnd)
        try await store.close()
    }

    @Test("d27: what is reported between the look at an answer and its record keeps the answer from reaching the end")
    func toldMeanwhile() async throws {
        let asked = Locked(0)
        let provider = FakeHistoryProvider(4) { _, right in
            let isFirst = asked.withLock { count in
                count += 1
                return count == 1
            }
            // The last message is sent once the server has answered.
            return isFirst
                ? RemoteHistoryPage(messages: Array(right.messages.dropLast()), reachesBeginning: true) : right
        }
        let telling = Locked<MessageStore?>(nil)
        let filter = FakeMessageFilter { messages, _ in
            // A filter is asked right before the page is recorded.
            let store = telling.withLock { store in
                defer { store = nil }
                return store
            }
            try await store?.record([.unreadCountReported(1, upTo: FakeHistoryProvider.place(4), in: group)])
            return messages.map { _ in .keep }
        }
        let store = try place.open {
            $0.hooks.historyProvider = provider
            $0.hooks.messageFilter = filter
        }
        telling.withLock { $0 = store }
        let page = try await store.history(of: group)
        #expect(page.texts == names(1...4), "the newest page is asked for again")
        #expect(provider.questions.count == 2)
        let loaded = try await store.events(where: EventFilter(types: [.historyPageLoaded]))
            .compactMap { ($0.event.payload as? HistoryPageLoaded)?.reachesEnd }
        #expect(loaded == [false, true])
        try await store.close()
    }

    @Test("B52: fetched history is not delivered again and does not count below the read marker")
    func silence() async throws {
        let store = try open(FakeHistoryProvider(30))
        try await store.record([live(29), live(30)])
        #expect(try store.unread().messages == 2)
        try await store.record([read()])
        let deliveries = store.deliveries()
        _ = try await store.history(of: group)
        #expect(try store.unread().messages == 0)
        #expect(try store.totals().messages == 0)
        try await store.record([live(31)])
        #expect(try store.unread().messages == 1)
        try await store.close()
        var told = 0
        for await _ in deliveries { told += 1 }
        #expect(told == 1)
    }

    @Test("without a provider the store answers with what it has, holes and all")
    func noProvider() async throws {
        let store = try open(nil)
        try await store.record([live(5), live(28), live(30)])
        #expect(try await store.history(of: group, limit: 2).texts == ["m28", "m30"])
        await expectAsyncError(.hookMissing) { _ = try await store.remoteHistory(of: group) }
        try await store.close()
        await expectAsyncError(.closed) { _ = try await store.history(of: group) }
    }

    @Test("d27: passed through, the server's messages leave nothing in the store")
    func passThrough() async throws {
        let provider = FakeHistoryProvider(30)
        let store = try open(provider)
        let page = try await store.remoteHistory(of: group, .before(.order(FakeHistoryProvider.place(11))), limit: 10)
        #expect(page.texts == names(1...10) && page.reachesBeginning && page.hasGapAfter)
        #expect(page.elements.allSatisfy { !$0.isRecorded && $0.sender == "bob" && $0.conversation == group })
        #expect(try store.lastPosition() == .origin)
        try await store.close()
        let reader = try place.openReadOnly { $0.hooks.historyProvider = provider }
        #expect(try await reader.remoteHistory(of: group, limit: 1).texts == ["m30"])
        await expectAsyncError(.readOnly) { _ = try await reader.history(of: group) }
        try await reader.close()
    }

    @Test("d3, B42: limits are 1 to 1000; anchors are messages that a server knows, or places")
    func arguments() async throws {
        let store = try open(FakeHistoryProvider(30))
        for limit in [0, -1, 1001] {
            await expectAsyncError(.invalidArgument) { _ = try await store.history(of: group, limit: limit) }
        }
        await expectAsyncError(.notFound) {
            _ = try await store.history(of: group, .before(.message(.server("m1"))))
        }
        let unsent = try store.local(queued("x"))
        await expectAsyncError(.notFound) {
            _ = try await store.history(of: group, .before(.message(.server("m1"))))
        }
        await expectAsyncError(.invalidArgument) {
            _ = try await store.history(of: group, .before(.message(.local(unsent))))
        }
        await expectAsyncError(.invalidArgument) {
            _ = try await store.history(of: group, .before(.order(order(-1))))
        }
        await expectAsyncError(.invalidArgument) { _ = try await store.history(of: .group("")) }
        let page = try await store.history(of: group, .before(.order(order(55))), limit: 3)
        #expect(page.texts == names(3...5))
        #expect(
            try await store.history(of: group, limit: 3).texts == ["m29", "m30", "x"], "unsent messages stand last")
        try await store.close()
    }

    @Test("d21: a page of messages that were deleted or cleared here is stepped over")
    func tombstones() async throws {
        let provider = FakeHistoryProvider(40)
        let store = try open(provider)
        try await store.record([deleted("m40", "m39", "m38", "m37")])
        #expect(try await store.history(of: group, limit: 2).texts == names(35...36))
        try await store.record([cleared(FakeHistoryProvider.place(30))])
        #expect(try await store.history(of: group, .before(.message(.server("m35"))), limit: 4).texts == names(31...34))
        let asked = provider.questions.count
        for anchor in [TimelineAnchor.message(.server("m31")), .order(FakeHistoryProvider.place(20))] {
            #expect(try await store.history(of: group, .before(anchor), limit: 2).elements.isEmpty)
        }
        #expect(provider.questions.count <= asked + 2)
        try await store.close()
    }
}

/// Expects that `body` throws a store error with this code.
func expectAsyncError(
    _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing was thrown, but \(code) was expected", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? StoreError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
