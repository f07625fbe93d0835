import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// A number of unread messages is a place where the newest messages are known without a hole: then all answers agree.
@Suite("The place of a reported number", .timeLimit(.minutes(30)))
struct ReportedPlaceTests {
    /// What a store says is unread, by each of its answers.
    private struct Answers: Equatable {
        var count: Int
        var first: ServerMessageID?
        var rows: [ServerMessageID]
        var shown: Int
        var texts: Int
        var mentions: [ServerMessageID]
        var mentionCount: Int

        /// Of messages `m1`, `m2`, …, as the number says.
        init(newest last: Int, count: Int, mentioning: [Int] = []) {
            let unread = Array(last - count + 1..<last + 1)
            rows = unread.map { ServerMessageID("m\($0)") }
            mentions = mentioning.filter(unread.contains).map { ServerMessageID("m\($0)") }
            (self.count, first, shown, texts, mentionCount) = (count, rows.first, count, count, mentions.count)
        }

        init(_ store: MessageStore) throws {
            self = try store.read { views in
                var answers = Answers(newest: 0, count: 0)
                let unread = try views.unread(of: group)
                (answers.count, answers.mentionCount) = (unread.messages, unread.mentions)
                answers.first = try views.firstUnread(in: group)?.serverID
                answers.rows = try views.timeline(of: group, limit: 1000).elements
                    .filter { $0.isRead == false && $0.countsUnread && !$0.isRecalled }.compactMap(\.serverID)
                answers.shown = try ViewDiagnostics.shownUnread(of: group, in: views)
                answers.texts = try views.unreadCount(of: group, types: [.text])
                answers.mentions = try views.unreadMentions(in: group, limit: 1000).elements.compactMap(\.serverID)
                return answers
            }
        }
    }

    private static func provider(_ count: Int, mentioning: [Int] = []) -> FakeHistoryProvider {
        FakeHistoryProvider(
            (1...count).map { number in
                var message = FakeHistoryProvider.message(number)
                if mentioning.contains(number) { message.context.mentions = ["me"] }
                return message
            })
    }

    @Test(
        "B15, d50: all answers follow from the number, whether a place was named with it or not",
        arguments: [nil, order(600, "m60")])
    func pulled(upTo: MessageOrder?) async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.historyProvider = Self.provider(60, mentioning: [50, 57]) }
        try await store.record([Event(UnreadCountReported(7, upTo: upTo), in: group)])
        #expect(try store.unread().messages == 7)
        _ = try await store.history(of: group, limit: 20)
        let expected = Answers(newest: 60, count: 7, mentioning: [50, 57])
        #expect(try Answers(store) == expected)
        #expect(try store.unread().readUpTo == order(530, "m53") && store.unread().report == nil)
        _ = try await store.history(of: group, .before(.message(.server("m41"))), limit: 40)
        #expect(try Answers(store) == expected, "paging back changes nothing")
        try await store.record([received("m61", at: 610)])
        #expect(try Answers(store) == Answers(newest: 61, count: 8, mentioning: [50, 57]))
        try await store.record([read(order(570, "m57"))])
        #expect(try Answers(store) == Answers(newest: 61, count: 4))
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("B15, d50: a number for which the pulled messages do not suffice stays a number until more are pulled")
    func tooFew() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.historyProvider = Self.provider(60) }
        try await store.record([.unreadCountReported(30, in: group)])
        _ = try await store.history(of: group, limit: 20)
        #expect(try store.unread().messages == 30 && store.unread().report != nil)
        #expect(try await store.read { try ViewDiagnostics.shownUnread(of: group, in: $0) } == 20)
        #expect(try await store.read { try $0.firstUnread(in: group)?.serverID } == "m41")
        _ = try await store.history(of: group, .before(.message(.server("m41"))), limit: 20)
        #expect(try Answers(store) == Answers(newest: 60, count: 30))
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("d31, d50: a fresh device that pages back shows no unread rows next to a count of 0")
    func fresh() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.historyProvider = Self.provider(10, mentioning: [3]) }
        _ = try await store.history(of: group)
        #expect(try Answers(store) == Answers(newest: 10, count: 0))
        try await store.record([read(order(80, "m8"))])
        #expect(try Answers(store) == Answers(newest: 10, count: 2))
        try await store.close()
    }

    @Test("B15, d50: a number of 0 says that all is read, in every answer", .store)
    func zero() throws {
        try store.record([received("m1", at: 10), received("m2", at: 20), .unreadCountReported(0, in: group)])
        #expect(try Answers(store) == Answers(newest: 2, count: 0))
        #expect(try store.unread().readUpTo == order(20, "m2"))
        try store.record(received("m3", at: 30))
        #expect(try Answers(store) == Answers(newest: 3, count: 1))
    }

    @Test("B15, d50: a server that counts more than this device had left unread moves the marker back")
    func back() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.historyProvider = Self.provider(10) }
        _ = try await store.history(of: group)
        try await store.record([read()])
        try await store.record([Event(UnreadCountReported(4, upTo: order(100, "m10")), in: group)])
        #expect(try Answers(store) == Answers(newest: 10, count: 0), "a place that was read tells nothing")
        try await store.record([.unreadCountReported(4, in: group)])
        #expect(try store.unread().messages == 4)
        _ = try await store.history(of: group)
        #expect(try Answers(store) == Answers(newest: 10, count: 4))
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test(
        "B15, d50: in a sync the place follows, in whichever order the messages arrive",
        arguments: Seeds.first(3))
    func sync(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let old = (1...20).map { received(ServerMessageID("m\($0)"), at: Int64($0 * 10), origin: .offline) }
        let new = (21...40).map { number in
            received(
                ServerMessageID("m\(number)"), at: Int64(number * 10), mentions: number == 35 ? ["me"] : [],
                origin: .offline)
        }
        try withTemporaryStore { store throws in
            try store.record([Event(OfflineSyncStarted(), origin: .offline)] + old)
            try store.record([Event(OfflineSyncCompleted(), origin: .offline), read(order(180, "m18"))])
            try store.record(Event(OfflineSyncStarted(), origin: .offline))
            try store.record(Event(UnreadCountReported(12, upTo: order(400, "m40")), in: group, origin: .offline))
            #expect(try store.unread().messages == 12)
            for message in new.shuffled(using: &random) {
                try store.record(message)
                let unread = try store.unread()
                #expect(unread.messages == 12, "seed \(seed)")
                let answers = try Answers(store)
                if unread.report == nil { #expect(answers.rows.count == 12, "seed \(seed)") }
            }
            try store.record(Event(OfflineSyncCompleted(), origin: .offline))
            #expect(try Answers(store) == Answers(newest: 40, count: 12, mentioning: [35]), "seed \(seed)")
        }
    }

    @Test("B15, d50: a sync that completes closes a gap below the place, so that the next message shows it")
    func joined() throws {
        try withTemporaryStore { store throws in
            func live(_ number: Int) -> Event { received(ServerMessageID("m\(number)"), at: Int64(number * 10)) }
            try store.record([Event(SessionStateChanged(.connected))] + (1...3).map(live))
            try store.record([Event(SessionStateChanged(.disconnected)), Event(SessionStateChanged(.connected))])
            try store.record([Event(OfflineSyncStarted(), origin: .offline), live(4)])
            try store.record(Event(UnreadCountReported(3, upTo: order(40, "m4")), in: group, origin: .offline))
            try store.record(Event(OfflineSyncCompleted(), origin: .offline))
            #expect(try store.unread().messages == 3)
            try store.record(live(5))
            #expect(try store.unread().report == nil)
            #expect(try Answers(store) == Answers(newest: 5, count: 4))
        }
    }
}
