import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("X10, C17: the store's and the server's past, before, after and around a place", .timeLimit(.minutes(30)))
struct HistoryPartTests {
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
    }

    private func open(_ provider: FakeHistoryProvider) throws -> MessageStore {
        try place.open { $0.hooks.historyProvider = provider }
    }

    private func names(_ range: ClosedRange<Int>) -> [String] { range.map { "m\($0)" } }

    private func anchor(_ number: Int) -> TimelineAnchor { .order(FakeHistoryProvider.place(number)) }

    @Test("what is newer than a place is fetched once, page by page, up to the end")
    func newer() async throws {
        let provider = FakeHistoryProvider(30)
        let store = try open(provider)
        let oldest = try await store.history(of: group, .before(anchor(6)), limit: 5)
        #expect(oldest.texts == names(1...5) && oldest.reachesBeginning)
        for isKnown in [false, true] {
            // The server has m6 as well, which no page has brought yet.
            let first = try await store.history(of: group, .after(.message(.server("m5"))), limit: 10)
            #expect(first.texts == names(6...15) && first.isContiguous && first.hasGapAfter == !isKnown)
            let second = try await store.history(of: group, .after(.message(.server("m15"))), limit: 10)
            #expect(second.texts == names(16...25) && second.isContiguous && !second.hasGapBefore)
            let last = try await store.history(of: group, .after(.message(.server("m25"))), limit: 10)
            #expect(last.texts == names(26...30) && !last.hasGapAfter && !last.hasNewer)
        }
        #expect(
            provider.questions.map(\.anchor) == [6, 5, 15, 25].map { FakeHistoryProvider.place($0) },
            "none twice")
        #expect(provider.questions.map(\.isForNewer) == [false, true, true, true])
        let all = try await store.read { try $0.timeline(of: group, limit: 100) }
        #expect(all.texts == names(1...30) && all.isContiguous && all.reachesBeginning && !all.hasGapAfter)
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("around a message, a place and a time, of a store that has nothing, parts or all of it", arguments: 0..<3)
    func around(known: Int) async throws {
        let provider = FakeHistoryProvider(40)
        let store = try open(provider)
        // m20 with holes on both sides; then all up to it.
        if known > 0 { try await store.record(received("m20", at: 200)) }
        if known > 1 { _ = try await store.history(of: group, .before(anchor(21)), limit: 20) }
        let page = try await store.history(of: group, .around(anchor(20)), limit: 10)
        #expect(page.texts == names(15...24) && page.index == 5)
        #expect(page.isContiguous && page.hasOlder == (known > 1) && page.hasGapBefore == (known <= 1))
        let asked = provider.questions.count
        #expect(try await store.history(of: group, .around(.message(.server("m20"))), limit: 10) == page)
        let timed = try await store.history(of: group, .around(.order(order(200))), limit: 10)
        #expect(timed.elements == page.elements && timed.index == nil, "no message is a time alone")
        #expect(
            [timed.hasOlder, timed.hasNewer, timed.isContiguous, timed.hasGapBefore, timed.hasGapAfter]
                == [page.hasOlder, page.hasNewer, page.isContiguous, page.hasGapBefore, page.hasGapAfter])
        #expect(provider.questions.count == asked, "what is there is not asked for again")
        let views = try await store.read { try $0.timeline(of: group, .around(.message(.server("m20"))), limit: 10) }
        #expect(views.texts == page.texts && views.index == page.index)
        #expect(try await store.history(of: group, .around(anchor(1)), limit: 4).texts == names(1...4))
        #expect(try await store.history(of: group, .around(anchor(40)), limit: 4).texts == names(38...40))
        #expect(try await store.history(of: group, .around(anchor(30)), limit: 1).texts == ["m30"])
        #expect(try await store.history(of: group, .around(.order(order(0))), limit: 4).texts == names(1...4))
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("B15, d27: what is reported while a page is on its way leaves its gap", arguments: 0..<3)
    func outdated(told: Int) async throws {
        let events = [
            Event(UnreadCountReported(4, upTo: FakeHistoryProvider.place(24), at: ms(240)), in: group),
            received("m24", at: 240), Event(HistoryGapFound(), in: group),
        ]
        let opened = Locked<MessageStore?>(nil)
        let provider = FakeHistoryProvider(24) { _, right in
            let first = opened.withLock { store in
                defer { store = nil }
                return store
            }
            guard let first else { return right }
            try await first.record([events[told]])
            return RemoteHistoryPage(messages: right.messages.filter { $0.sentTime <= ms(200) })
        }
        let store = try open(provider)
        opened.withLock { $0 = store }
        _ = try await store.history(of: group, limit: 10)
        let page = try await store.history(of: group, limit: 10)
        #expect(page.texts == names(15...24) && page.isContiguous && !page.hasGapAfter)
        #expect(provider.questions.count == 2)
        try await store.close()
    }

    @Test("d27: paging back in a new session leaves the hole that it may have left")
    func pagingBackAfterConnecting() async throws {
        let provider = FakeHistoryProvider(20)
        let store = try open(provider)
        try await store.record([
            Event(SessionStateChanged(.connected)), received("m11", at: 110), received("m12", at: 120),
            Event(SessionStateChanged(.disconnected)), Event(SessionStateChanged(.connected)),
        ])
        let older = try await store.history(of: group, .before(.message(.server("m11"))), limit: 5)
        #expect(older.texts == names(6...10))
        try await store.record([received("m18", at: 180)])
        #expect(try await store.read { try $0.timeline(of: group) }.isContiguous == false)
        let missing = try await store.history(of: group, .after(.message(.server("m12"))), limit: 3)
        #expect(missing.texts == names(13...15))
        try await store.close()
    }

    @Test("d27: newer messages that are not shown make the newest page asked for once more, and no other")
    func hiddenMeanwhile() async throws {
        let opened = Locked<MessageStore?>(nil)
        let provider = FakeHistoryProvider(30) { _, right in
            let first = opened.withLock { store in
                defer { store = nil }
                return store
            }
            try await first?.record([Event(HistoryGapFound(before: FakeHistoryProvider.place(40)), in: group)])
            return right
        }
        let store = try open(provider)
        opened.withLock { $0 = store }
        #expect(try await store.history(of: group, limit: 5).texts == names(26...30))
        #expect(provider.questions.count == 2)
        try await store.close()
    }

    @Test("X10: the server's past of a room shows again what leaving the room cleared, but not what was deleted")
    func roomEnteredAgain() async throws {
        let room = ConversationKey.chatRoom("room")
        let store = try open(FakeHistoryProvider(3))
        let received = (1...3).map { Event(FakeHistoryProvider.message($0), in: room, origin: .live) }
        try await store.record(received + [Event(MessagesDeleted([.server("m2")]), in: room)])
        #expect(try await store.remoteHistory(of: room).texts == ["m1", "m3"])
        try await store.record([
            Event(ChatRoomLeft(at: ms(40)), in: room), Event(ChatRoomJoined(at: ms(50)), in: room),
        ])
        let past = try await store.remoteHistory(of: room).elements
        #expect(past.compactMap(\.content.text) == ["m1", "m3"] && !past.contains { $0.isRecorded })
        try await store.close()
    }

    @Test("B43: the past of a room that is entered again is loaded, recorded and shown")
    func pastOfRoomEnteredAgain() async throws {
        let room = ConversationKey.chatRoom("room")
        let store = try open(FakeHistoryProvider(8))
        try await store.record((5...8).map { Event(FakeHistoryProvider.message($0), in: room, origin: .live) })
        try await store.record([
            Event(ChatRoomLeft(at: ms(90)), in: room), Event(ChatRoomJoined(at: ms(95)), in: room),
        ])
        try await store.record([Event(FakeHistoryProvider.message(7), in: room, origin: .live)])
        let page = try await store.history(of: room, limit: 10)
        #expect(page.texts == names(1...8) && page.isContiguous && page.elements.allSatisfy(\.isRecorded))
        #expect(try await store.history(of: room, limit: 10).texts == names(1...8))
        try await store.close()
    }

    @Test("a time alone ends no page before all messages of that time are known")
    func sameTime() async throws {
        let messages = ["a", "b", "c"].map { id in
            MessageReceived(
                serverID: ServerMessageID(id), sender: "bob", sentTime: ms(10), content: .text(id))
        }
        let provider = FakeHistoryProvider(messages + [FakeHistoryProvider.message(2)])
        let store = try open(provider)
        #expect(try await store.history(of: group, .after(.order(order(10))), limit: 5).texts == ["m2"])
        #expect(try await !store.read { try $0.timeline(of: group) }.reachesBeginning)
        let older = try await store.history(of: group, .before(.message(.server("m2"))), limit: 5)
        #expect(older.texts == ["a", "b", "c"], "they are not taken for known")
        try await store.close()
    }

    @Test("a provider that only goes back fills no gap after a place, and a failure is reported")
    func onlyBack() async throws {
        let messages = (1...30).map { FakeHistoryProvider.message($0) }
        let store = try open(FakeHistoryProvider(messages, goesForward: false))
        _ = try await store.history(of: group, .before(anchor(6)), limit: 5)
        #expect(try await store.history(of: group, .after(anchor(3)), limit: 5).texts == ["m4", "m5"])
        #expect(try await store.history(of: group, .around(anchor(3)), limit: 5).texts == names(1...5))
        _ = try await store.history(of: group, .before(anchor(10)), limit: 1)
        let broken = try await store.history(of: group, .around(anchor(5)), limit: 5)
        #expect(broken.texts == names(3...5) + ["m9"] && !broken.isContiguous, "m6 to m8 are missing")
        await expectAsyncError(.hookMissing) { _ = try await store.remoteHistory(of: group, .after(anchor(3))) }
        try await store.close()
        let failing = FakeHistoryProvider(messages) { question, right in
            if question.isForNewer { throw Refusal() }
            return right
        }
        let other = try open(failing)
        await expectAsyncError(.hookFailed) { _ = try await other.history(of: group, .after(anchor(5))) }
        try await other.close()
    }

    @Test("an answer is cut to its question: nothing twice, nothing outside or beyond the limit")
    func cut() async throws {
        let provider = FakeHistoryProvider(30) { question, right in
            guard question.isForNewer else { return right }
            let all = (1...30).map { FakeHistoryProvider.message($0) }
            return RemoteHistoryPage(messages: all.shuffled() + all.prefix(3), reachesEnd: true)
        }
        let store = try open(provider)
        let page = try await store.history(of: group, .after(anchor(10)), limit: 5)
        #expect(page.texts == names(11...15) && page.hasGapAfter, "what was cut off may be missing")
        try await store.close()
    }

    @Test("pages of deleted and of cleared messages are stepped over")
    func tombstones() async throws {
        let store = try open(FakeHistoryProvider(40))
        try await store.record([deleted("m6", "m7", "m8", "m9"), cleared(FakeHistoryProvider.place(3))])
        #expect(try await store.history(of: group, .after(anchor(5)), limit: 2).texts == names(10...11))
        #expect(try await store.history(of: group, .after(anchor(1)), limit: 2).texts.first == "m4")
        try await store.close()
    }

    @Test("d27: a page ends at the hole, though a message waits behind it, and going on fetches what is missing")
    func unsentBehindHole() async throws {
        let provider = FakeHistoryProvider(10) { question, right in
            guard question.anchor == FakeHistoryProvider.place(1) else { return right }
            return RemoteHistoryPage(messages: Array(right.messages.prefix(2)))
        }
        let store = try open(provider)
        try await store.record([received("m1", at: 10), received("m10", at: 100), queued("x")])
        #expect(try await store.history(of: group, .after(anchor(1)), limit: 20).texts == ["m2", "m3"])
        #expect(try await store.history(of: group, .after(anchor(3)), limit: 20).texts == names(4...10) + ["x"])
        try await store.close()
    }

    @Test("d27: deleted messages before a hole are stepped over, and the hole is not")
    func deletedBeforeHole() async throws {
        let store = try open(FakeHistoryProvider(20))
        try await store.record([received("m6", at: 60), received("m20", at: 200), deleted("m7", "m8", "m9")])
        #expect(try await store.history(of: group, .after(anchor(6)), limit: 3).texts == names(10...12))
        try await store.close()
    }

    @Test("d21: a message that waits to be sent does not end the search for what is shown")
    func unsentAlone() async throws {
        let store = try open(FakeHistoryProvider(40))
        try await store.record([deleted("m40", "m39", "m38", "m37"), queued("u")])
        #expect(try await store.history(of: group, limit: 4).texts.suffix(2) == ["m36", "u"])
        #expect(try await store.history(of: group, limit: 1).texts == ["u"], "a full page is not stepped over")
        try await store.close()
    }

    @Test("X10: a message that was deleted here stays away, and what a filter put in place of one stays there")
    func notShown() async throws {
        let provider = FakeHistoryProvider(4) { _, right in
            var page = right
            page.snapshots = [MessageSnapshotReceived(.server("m3"), content: .text("edit"), modifiedTime: ms(900))]
            return page
        }
        let store = try place.open {
            $0.hooks.historyProvider = provider
            $0.hooks.messageFilter = FakeMessageFilter(byText: { $0 == "edit" ? .replace(.text("put")) : .keep })
        }
        try await store.record([received("m2", at: 20), deleted("m2")])
        let page = try await store.remoteHistory(of: group)
        #expect(page.texts == ["m1", "put", "m4"])
        #expect(page.elements.map(\.isReplaced) == [false, true, false])
        try await store.close()
    }

    @Test("X10: a server's message is a message like one of the store, with an id that is the same each time")
    func remote() async throws {
        let snapshot = MessageSnapshotReceived(.server("m12"), content: .text("edited"), modifiedTime: ms(900))
        let provider = FakeHistoryProvider(30) { _, right in
            var page = right
            page.snapshots = [snapshot]
            return page
        }
        let store = try open(provider)
        try await store.record(received("m11", at: 110))
        let page = try await store.remoteHistory(of: group, .around(anchor(11)), limit: 4)
        #expect(page.texts == ["m9", "m10", "m11", "edited"])
        #expect(page.elements.map(\.isRecorded) == [false, false, true, false])
        #expect(Set(page.elements.map(\.id)).count == 4)
        let again = try await store.remoteHistory(of: group, .after(anchor(11)), limit: 1)
        #expect(again.elements == [page.elements[3]])
        // Its id names nothing.
        let id = page.elements[3].id
        #expect(try await store.read { try $0.message(id) } == nil)
        let edit = MessageModified(.local(id), content: .text("x"), at: ms(5))
        let result = try await store.record([Event(edit, in: group)])
        #expect(result.unmatched == [0])
        await #expect(try store.events(where: EventFilter(types: [.messageReceived])).count == 1)
        try await store.close()
    }
}
