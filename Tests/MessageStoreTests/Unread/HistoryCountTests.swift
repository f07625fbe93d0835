import MessageStore
import MessageStoreTestKit
import Testing

@Suite("d31: messages of the past and the badge", .timeLimit(.minutes(10)))
struct HistoryCountTests {
    private static let past = (1...5).map {
        received(ServerMessageID("m\($0)"), at: Int64($0 * 10), mentions: ["me"], origin: .history)
    }

    @Test("d31: paging back leaves the badge as it is where nothing was read")
    func paging() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.historyProvider = FakeHistoryProvider(30) }
        try await store.record([received("live", at: 10_000)])
        #expect(try await store.history(of: group, limit: 20).messages.count == 20)
        #expect(try store.unread().messages == 1 && store.totals().badge == 1)
        #expect(try await store.read { try $0.firstUnread(in: group)?.serverID } == "live")
        #expect(try await store.read { try $0.shownUnread(in: group) } == 1)
        #expect(try await store.read { try $0.unread(of: group, types: [.text]) } == 1)
        try await store.record([read()])
        #expect(try store.totals().badge == 0)
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("d31: the marker decides, whether it comes before the page, with it or later", arguments: 0...2)
    func markers(step: Int) async throws {
        let marker = order(30, "m3")
        let provider = FakeHistoryProvider(5) { _, right in
            var page = right
            if step == 1 { page.readUpTo = marker }
            return page
        }
        let place = try TemporaryStore()
        let store = try place.open { $0.historyProvider = provider }
        if step == 0 { try await store.record([read(marker)]) }
        #expect(try await store.history(of: group).texts.count == 5)
        if step == 2 {
            #expect(try store.unread().messages == 0)
            try await store.record([read(marker)])
        }
        #expect(try store.unread().messages == 2 && store.unread().readUpTo == marker)
        #expect(try await store.read { try $0.firstUnread(in: group)?.serverID } == "m4")
        #expect(try await store.history(of: group).texts.count == 5)
        #expect(try await store.events(where: EventFilter(types: [.conversationRead])).count == 1)
        try await store.close()
    }

    @Test("d31: a marker of a page that is below the known one is not recorded")
    func lowMarker() async throws {
        let provider = FakeHistoryProvider(5) { _, right in
            var page = right
            page.readUpTo = order(10, "m1")
            return page
        }
        let place = try TemporaryStore()
        let store = try place.open { $0.historyProvider = provider }
        try await store.record([read(order(40, "m4")), markedUnread()])
        _ = try await store.history(of: group)
        #expect(try store.unread().messages == 1 && store.unread().isMarkedUnread)
        try await store.close()
    }

    @Test("d31, B15: a number that the server reports says where to count from")
    func report() throws {
        try withTemporaryStore { store throws in
            try store.record(Self.past)
            try store.record(.unreadCountReported(2, upTo: order(40, "m4"), in: group, at: ms(45)))
            #expect(try store.unread().messages == 3, "two and the one above the report's place")
            #expect(try store.read { try $0.unreadMentions(in: group) }.count == 5)
        }
    }

    @Test(
        "d31: the rule is frozen into the record, and one that was recorded without it counts",
        arguments: [false, true])
    func frozen(counts: Bool) throws {
        let place = try TemporaryStore()
        let first = try place.open { $0.countsUnreadHistory = counts }
        try first.record(Self.past)
        #expect(try first.unread().messages == (counts ? 5 : 0))
        try first.close()
        let second = try place.open { $0.countsUnreadHistory = !counts }
        #expect(try second.unread().messages == (counts ? 5 : 0))
        try second.record(Self.past + [received("m6", at: 60, origin: .history)])
        #expect(try second.unread().messages == (counts ? 5 : 1))
        try second.rebuild()
        #expect(try second.unread().messages == (counts ? 5 : 1) && second.isConsistent())
        // A copy of the log keeps what each record says.
        let copy = try TemporaryStore()
        let restored = try copy.open()
        try restored.restore(second.events(limit: .max))
        #expect(try restored.digests() == second.digests())
        try second.close()
        try restored.close()
    }
}
