import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d31: messages of the past and the badge", .store, .timeLimit(.minutes(30)))
struct HistoryCountTests {
    private static let past = (1...5).map {
        received(ServerMessageID("m\($0)"), at: Int64($0 * 10), mentions: ["me"], origin: .history)
    }

    @Test("d31: paging back leaves the badge as it is where nothing was read")
    func paging() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.historyProvider = FakeHistoryProvider(30) }
        try await store.record([received("live", at: 10_000)])
        #expect(try await store.history(of: group, limit: 20).elements.count == 20)
        #expect(try store.unread().messages == 1 && store.totals().badge == 1)
        #expect(try await store.read { try $0.firstUnread(in: group)?.serverID } == "live")
        #expect(try await store.read { try ViewDiagnostics.shownUnread(of: group, in: $0) } == 1)
        #expect(try await store.read { try $0.unreadCount(of: group, types: [.text]) } == 1)
        try await store.record([read()])
        #expect(try store.totals().badge == 0)
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("d31: the read marker decides, whether it comes before the page, with it or later", arguments: 0...2)
    func markers(step: Int) async throws {
        let marker = order(30, "m3")
        let provider = FakeHistoryProvider(5) { _, right in
            var page = right
            if step == 1 { page.readUpTo = marker }
            return page
        }
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.historyProvider = provider }
        if step == 0 { try await store.record([read(marker)]) }
        #expect(try await store.history(of: group).texts.count == 5)
        if step == 2 {
            #expect(try store.unread().messages == 0)
            try await store.record([read(marker)])
        }
        #expect(try store.unread().messages == 2 && store.unread().readUpTo == marker)
        #expect(try await store.read { try $0.firstUnread(in: group)?.serverID } == "m4")
        #expect(try await store.history(of: group).texts.count == 5)
        let marks = EventFilter(types: [.conversationRead, .conversationSummaryReceived])
        #expect(try await store.events(where: marks).count == 1)
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
        let store = try place.open { $0.hooks.historyProvider = provider }
        try await store.record([read(order(40, "m4")), markedUnread()])
        _ = try await store.history(of: group)
        #expect(try store.unread().messages == 1 && store.unread().isMarkedUnread)
        try await store.close()
    }

    @Test("d31, B15: a number that the server reports says where to count from")
    func report() throws {
        try store.record(Self.past)
        try store.record(.unreadCountReported(2, upTo: order(40, "m4"), in: group, at: ms(45)))
        #expect(try store.unread().messages == 3, "two and the one above the report's place")
        #expect(try store.read { try $0.unreadMentions(in: group) }.elements.count == 5)
    }

    @Test(
        "d31: the rule is frozen into the record, and one that was recorded without it counts",
        arguments: [false, true])
    func frozen(counts: Bool) throws {
        let place = try TemporaryStore()
        let first = try place.open { $0.sync.countsHistoryAsUnread = counts }
        try first.record(Self.past)
        #expect(try first.unread().messages == (counts ? 5 : 0))
        try first.close()
        let second = try place.open { $0.sync.countsHistoryAsUnread = !counts }
        #expect(try second.unread().messages == (counts ? 5 : 0))
        try second.record(Self.past + [received("m0", at: 5, origin: .history)])
        #expect(try second.unread().messages == (counts ? 5 : 1))
        try second.rebuild()
        #expect(try second.unread().messages == (counts ? 5 : 1) && second.isConsistent())
        // A copy of the log keeps what each record says.
        let copy = try TemporaryStore()
        let restored = try copy.open()
        try restored.appendRecorded(second.events(limit: .max))
        #expect(try restored.digests() == second.digests())
        try second.close()
        try restored.close()
    }

    @Test("d31: the server's read marker in a page leaves the mark \"unread\", also in an empty page")
    func emptyPage() async throws {
        let provider = FakeHistoryProvider(5) { _, _ in
            RemoteHistoryPage(messages: [], reachesBeginning: true, readUpTo: order(30, "m3"))
        }
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.historyProvider = provider }
        try await store.record((1...5).map { received(ServerMessageID("m\($0)"), at: Int64($0 * 10)) })
        try await store.record([markedUnread()])
        for _ in 1...2 {
            #expect(try await store.history(of: group).texts.count == 5)
            #expect(try store.unread().messages == 2 && store.unread().readUpTo == order(30, "m3"))
            #expect(try store.unread().isMarkedUnread)
        }
        try await store.close()
    }

    @Test("d31: what history loads before its live copy counts, where it is newer than all that the store had")
    func liveCopies() throws {
        func bring(_ numbers: Int...) throws -> Int {
            try store.record(
                numbers.map { received(ServerMessageID("m\($0)"), at: Int64($0 * 10), origin: .history) })
            return try store.unread().messages
        }
        try store.record(received("m3", at: 30))
        let newer = try bring(6, 5, 4)
        #expect(newer == 4, "each is above what the store had before the page")
        let older = try bring(2, 1)
        #expect(older == 4)
        try store.record(received("m4", at: 40), received("m7", at: 70), deleted("m7"))
        let aboveDeleted = try bring(68)
        #expect(aboveDeleted == 5)
        try store.record(received("m90", at: 900), deleted("m90"))
        let aboveUnread = try bring(80)
        #expect(aboveUnread == 6, "what is above an unread message is unread, though the store had a newer one")
        let line = MessageInsertedLocally(content: .text("line"), sender: "bob", time: ms(5_000))
        try store.record(Event(line, in: group), queued("mine"))
        let behindLine = try bring(91)
        #expect(behindLine == 7, "lines of this device are no word of the server's")
        try store.rebuild()
        #expect(try store.unread().messages == 7 && store.isConsistent())
        try store.record(read(order(910)))
        #expect(try store.unread().messages == 0)
    }

    @Test(
        "d31: what is fetched between live messages counts where the older of them is unread", arguments: [false, true])
    func between(isOlderRead: Bool) throws {
        try store.record(received("m1", at: 10), received("m5", at: 50))
        if isOlderRead {
            try store.record(
                Event(MessageStatusFlagsSet([.server("m1")], flags: .read), in: group, origin: .otherDevice))
        }
        try store.record(received("m3", at: 30, origin: .history), received("m0", at: 5, origin: .history))
        let unread = try store.unread()
        #expect(unread.messages == (isOlderRead ? 1 : 3) && unread.isLowerBound == false)
        let shown = try store.page().elements
        #expect(shown.filter { $0.isRead == false }.count == unread.messages)
        let past: Set<ServerMessageID> = isOlderRead ? ["m0", "m1", "m3"] : ["m0"]
        #expect(Set(shown.filter { $0.isRead == true }.compactMap(\.serverID)) == past)
        try store.record(received("m6", at: 60), read(order(30, "m3")))
        #expect(try store.unread().messages == 2 && store.isConsistent())
    }

    @Test("d31: while a number alone is in force, all that history brings is of it", arguments: [false, true])
    func underNumber(isOneCall: Bool) throws {
        try store.record(received("m1", at: 10))
        let events = [
            Event.unreadCountReported(7, in: group), received("m2", at: 20, origin: .history),
        ]
        if isOneCall { try store.record(events) } else { for event in events { try store.record(event) } }
        #expect(try store.unread().messages == 7)
        try store.record(received("m3", at: 30))
        #expect(try store.unread().messages == 8)
    }

    @Test(
        "d31: a number alone includes what history loads, also where all history is configured to count",
        arguments: [false, true])
    func countedUnderNumber(isOneCall: Bool) throws {
        try withTemporaryStore({ $0.sync.countsHistoryAsUnread = true }) { store throws in
            try store.record(received("m1", at: 10))
            let events = [
                Event.unreadCountReported(7, mentions: 2, in: group),
                received("m2", at: 20, mentions: ["me"], origin: .history), received("m3", at: 30, origin: .history),
            ]
            if isOneCall { try store.record(events) } else { for event in events { try store.record(event) } }
            #expect(try store.unread().messages == 7 && store.unread().mentions == 2, "the number covers the page")
            #expect(try store.totals().badge == 7)
            #expect(
                try store.read { try ViewDiagnostics.shownUnread(of: group, in: $0) } == 3,
                "the timeline shows them all the same")
            try store.record(recalled("m3"), received("m4", at: 40))
            #expect(try store.unread().messages == 8, "what comes live is not in the number")
            // Reading up to the number's place ends it, and what stands above counts one by one.
            try store.record(read(order(10, "m1")))
            #expect(try store.unread().messages == 2 && store.unread().mentions == 1)
            try store.record(.unreadCountReported(9, in: group), received("m5", at: 50, origin: .history))
            #expect(try store.unread().messages == 9)
            try store.record(read())
            #expect(try store.unread().messages == 0)
            try store.record(received("m6", at: 60, origin: .history))
            #expect(try store.unread().messages == 1, "no number is in force")
        }
    }
}
