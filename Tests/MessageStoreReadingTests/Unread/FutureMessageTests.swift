import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Messages with a time of more than a day after their recording, as on a device whose clock is behind.
@Suite("Messages from the future", .timeLimit(.minutes(30)))
struct FutureMessageTests {
    private static let day: Int64 = 86_400_000
    private static let now: Int64 = 1_700_000_000_000

    private func withStore(_ body: (TemporaryStore, MessageStore) async throws -> Void) async throws {
        let place = try TemporaryStore()
        place.time.set(ms(Self.now))
        let store = try place.open()
        try await body(place, store)
        #expect(try store.isConsistent())
        try await store.close()
    }

    /// The messages whose rows say that they are unread, which the count must equal where no report is in force.
    private func unread(_ store: MessageStore) throws -> [ServerMessageID] {
        try store.read { views in
            let rows = try views.timeline(of: group, limit: 1000).elements.filter { $0.isRead == false }
            let count = try views.unread(of: group)
            if count.report == nil { #expect(count.messages == rows.count) }
            #expect(try ViewDiagnostics.shownUnread(of: group, in: views) == rows.count || count.report != nil)
            return rows.compactMap(\.serverID)
        }
    }

    @Test("B15, d50: on a device whose clock is two days behind, a number of 7 stays 7 when history is loaded")
    func slowClock() async throws {
        let messages = (1...20).map { number in
            MessageReceived(
                serverID: ServerMessageID("m\(number)"), sender: "bob",
                sentTime: ms(Self.now + 2 * Self.day + Int64(number)), content: .text("m\(number)"))
        }
        let place = try TemporaryStore()
        place.time.set(ms(Self.now))
        let store = try place.open { $0.hooks.historyProvider = FakeHistoryProvider(messages) }
        try await store.record(.unreadCountReported(7, in: group))
        _ = try await store.history(of: group, limit: 40)
        #expect(try store.unread().messages == 7)
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("d50: one message from the future among what is read makes nothing unread")
    func oneAmongRead() async throws {
        try await withStore { place, store in
            try store.record((1...9).map { received("m\($0)", at: Self.now + Int64($0)) } + [read()])
            try store.record(received("far", at: Self.now + 30 * Self.day))
            try store.record(Event(UnreadCountReported(1, upTo: order(Self.now + 30 * Self.day, "far")), in: group))
            #expect(try store.unread().messages == 1, "the server counts it once")
            try store.record(received("m10", at: Self.now + 100))
            #expect(try unread(store) == ["m10", "far"])
            #expect(try store.unread().messages == 1, "the report's place, a day from now, is above m10")
        }
    }

    @Test("I5, d38: the count stays that of the unread rows where a late message raises a number's place past one")
    func raisedPlace() async throws {
        try await withStore { place, store in
            try store.record(
                Event(SessionStateChanged(.connected), origin: .live), received("m0", at: Self.now), read(),
                received("a", at: Self.now + 10 * Self.day))
            place.time.set(ms(Self.now + 3 * Self.day))
            try store.record(
                received("b", at: Self.now + 2 * Self.day), received("c", at: Self.now + 3 * Self.day),
                Event(UnreadCountReported(2, upTo: order(Self.now + 3 * Self.day, "c")), in: group))
            _ = try unread(store)
            try store.record(received("b2", at: Self.now + 5 * Self.day / 2))
            let rows = try unread(store)
            try store.record(recalled("a"))
            #expect(try unread(store) == rows.filter { $0 != "a" })
        }
    }

    @Test(
        "d51: a report that names a message from the future applies up to that message's place",
        arguments: [Origin.local, .live])
    func namedByReport(origin: Origin) async throws {
        try await withStore { _, store in
            try store.record(received("m1", at: Self.now), received("far", at: Self.now + 10 * Self.day))
            let report = UnreadCountReported(1, upTo: order(Self.now - 1, "far"))
            try store.record(Event(report, in: group, origin: origin))
            let count = try store.unread()
            #expect(count.messages == 1 && count.report?.upTo == order(Self.now + Self.day, "far"))
        }
    }

    @Test(
        "X49, d51: a message from the future silences nothing even after its time came near",
        arguments: [nil, "far"] as [ServerMessageID?])
    func cameNear(named: ServerMessageID?) async throws {
        try await withStore { place, store in
            let far = Self.now + 10 * Self.day
            try store.record(received("m1", at: Self.now), received("far", at: far))
            place.time.set(ms(far - Self.day / 2))
            try store.record(read(named.map { order(far, $0) }))
            #expect(try unread(store) == [])
            place.time.set(ms(far - Self.day / 3))
            try store.record(received("b", at: far - Self.day / 3))
            #expect(try unread(store) == ["b"])
        }
    }

    @Test(
        "X49: clearing the history takes messages from the future along and hides none that arrives later",
        arguments: [HistoryCleared(), HistoryCleared(upTo: order(now + 10 * day, "far"))])
    func cleared(clearing: HistoryCleared) async throws {
        try await withStore { place, store in
            try store.record(received("m1", at: Self.now), received("far", at: Self.now + 10 * Self.day))
            try store.record(Event(clearing, in: group))
            #expect(try store.texts() == [] && store.unread().messages == 0)
            try store.record(received("m2", at: Self.now + 1))
            #expect(try store.texts() == ["m2"] && unread(store) == ["m2"])
            try store.record(received("far", at: Self.now + 10 * Self.day))
            #expect(try store.texts() == ["m2"], "what was cleared does not come back")
        }
    }

    @Test("d51: clearing the history takes this account's own messages from the future along, too")
    func clearedOwn() async throws {
        try await withStore { _, store in
            let own = Event(
                MessageReceived(
                    serverID: "far", sender: store.account, sentTime: ms(Self.now + 10 * Self.day),
                    content: .text("far")), in: group, origin: .otherDevice)
            try store.record(received("m1", at: Self.now), own)
            try store.record(Event(HistoryCleared(), in: group))
            try store.record(received("m2", at: Self.now + 1))
            #expect(try store.texts() == ["m2"] && unread(store) == ["m2"])
        }
    }

    @Test("d51: so it does a queued message that the server acknowledged with such a time", arguments: [true, false])
    func clearedAcknowledged(isLearned: Bool) async throws {
        try await withStore { _, store in
            let far = Self.now + 10 * Self.day
            try store.record(received("m1", at: Self.now), queued("own"))
            if isLearned {
                try store.record(Event(MessageSent(message: LocalMessageID(2), serverID: "far"), in: group))
                try store.record(Event(MessageSnapshotReceived(.server("far"), sentTime: ms(far)), in: group))
            } else {
                try store.record(sent(LocalMessageID(2), "far", at: far))
            }
            try store.record(Event(HistoryCleared(), in: group))
            #expect(try store.texts() == [])
            try store.record(received("m2", at: Self.now + 1))
            #expect(try store.texts() == ["m2"] && unread(store) == ["m2"])
        }
    }

    @Test("d51, L45: a reading that confirms the marker of another device leaves later ones of its time unread")
    func confirming() async throws {
        try await withStore { place, store in
            try store.record(received("m5", at: Self.now))
            try store.record(Event(ConversationRead(upTo: order(Self.now, "m5")), in: group, origin: .otherDevice))
            try store.record(read(order(Self.now, "m5")))
            try store.record(received("m4", at: Self.now))
            #expect(try unread(store) == ["m4"] && store.unread().messages == 1)
            try store.record(read(order(Self.now, "m5")), received("m3", at: Self.now))
            #expect(try unread(store) == ["m3"])
        }
    }

    @Test("Decision 25: a clock's time after the recording bars no later choice")
    func clockTime() async throws {
        try await withStore { place, store in
            var first = Event(ConversationPinned(true), in: group)
            first.clockTime = ms(.max)
            try store.record(first)
            try store.record(Event(ConversationPinned(false, at: ms(Self.now + 1)), in: group))
            #expect(try store.read { try $0.conversation(group)?.isPinned } == false)
        }
    }
}
