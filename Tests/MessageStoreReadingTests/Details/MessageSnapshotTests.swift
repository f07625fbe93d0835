import MessageStore
import MessageStoreProjections
import Testing
@testable import MessageStoreTestSupport

@Suite("d37: what a server says of a message at one moment", .store, .timeLimit(.minutes(30)))
struct MessageSnapshotTests {
    private func told(
        _ snapshot: MessageSnapshotReceived, origin: Origin = .history, serverTime: Timestamp? = nil
    ) -> Event {
        Event(snapshot, in: group, origin: origin, serverTime: serverTime)
    }

    private func reactions(_ store: MessageStore, to id: ServerMessageID = "s") throws -> [String] {
        try store.read { views throws in
            try views.reactions(to: .server(id), in: group).map { reaction in
                "\(reaction.key):\(reaction.users.map(\.rawValue).joined(separator: ",")):\(reaction.count)"
            }
        }
    }

    private static let everything = MessageSnapshotReceived(
        .server("s"), asOf: ms(100), content: .text("edited"), modifiedTime: ms(50), isRecalled: false,
        reactions: [ReactionSummary(key: "+1", users: ["a", "b"]), ReactionSummary(key: "x", count: 7)],
        counts: ReadCounts(read: 2, unread: 3), deliveredCount: 4, flags: [.read, .listened])

    @Test("d37: a snapshot without a time replaces what was recorded before, whatever the device's clock says")
    func untimed() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            func react(_ user: UserID, at time: Int64) -> Event {
                Event(ReactionAdded(.server("s"), key: "+1", by: user, at: ms(time)), in: group)
            }
            try store.record(received("s", at: 10), react("a", at: 20), react("b", at: 30))
            let told = MessageSnapshotReceived(.server("s"), reactions: [ReactionSummary(key: "+1", users: ["c"])])
            try store.record(self.told(told))
            #expect(try reactions(store) == ["+1:c:1"], "the device's clock is far ahead of the server's")
            #expect(try store.read { try $0.news(of: told, in: group) } == nil)
            try store.record(react("d", at: 31), react("e", at: 29))
            #expect(try reactions(store) == ["+1:c,d:2"], "what is later comes on top, what is older was replaced")
            #expect(try store.isConsistent())
        }
    }

    @Test(
        "d37: everything that it reports holds, whether the message came before or comes after",
        arguments: [false, true])
    func everything(isFirst: Bool) throws {
        let events = [received("s", at: 10), told(Self.everything)]
        try store.record(isFirst ? events.reversed() : events)
        let message = try #require(try store.message("s"))
        #expect(message.text == "edited" && message.isModified && !message.isRecalled && message.time == ms(10))
        #expect(message.flags == .read && message.status == .received, "nobody listens to a text")
        #expect(try store.unread().messages == 0)
        #expect(try reactions(store) == ["+1:a,b:2", "x::7"])
        let receipts = try store.read { try $0.receipts(of: .server("s"), in: group) }
        #expect(receipts.counts == ReadCounts(read: 2, unread: 3) && receipts.deliveredCount == 4)
    }

    @Test("d37: of two edits the later holds; a recall is final")
    func contents() throws {
        try store.record(
            received("s", at: 10),
            .modified(
                .server("s"), content: .text("live"), in: group, at: ms(60), origin: .live))
        try store.record(told(Self.everything))
        #expect(try store.message("s")?.text == "live")
        try store.record(
            told(MessageSnapshotReceived(.server("s"), content: .text("last"), modifiedTime: ms(61))))
        #expect(try store.message("s")?.text == "last")
        try store.record(told(MessageSnapshotReceived(.server("s"), isRecalled: true)))
        try store.record(
            told(MessageSnapshotReceived(.server("s"), content: .text("more"), modifiedTime: ms(70))))
        #expect(try store.message("s")?.isRecalled == true && store.message("s")?.text == nil)
    }

    @Test(
        "d37: reactions are replaced as a set as of its time; what is later stays, what is older and comes late changes nothing"
    )
    func reactionSets() throws {
        func added(_ key: String, _ user: UserID, _ time: Int64) -> Event {
            .reactionAdded(key, to: .server("s"), by: user, in: group, at: ms(time))
        }
        try withTemporaryStore { store throws in
            try store.record([received("s", at: 1), added("old", "a", 20), added("+1", "c", 110), added("+1", "a", 30)])
            try store.record(told(Self.everything))
            #expect(try reactions(store) == ["+1:a,b,c:3", "x::7"])
            try store.record([
                added("late", "d", 99), added("x", "d", 101),
                .reactionRemoved("+1", from: .server("s"), by: "a", in: group, at: ms(102)),
            ])
            #expect(try reactions(store) == ["+1:b,c:2", "x:d:8"])
            try store.record(told(MessageSnapshotReceived(.server("s"), asOf: ms(200), reactions: [])))
            #expect(try reactions(store) == [])
            try store.record(told(Self.everything))
            #expect(try reactions(store) == [], "an older snapshot tells nothing of reactions")
        }
    }

    @Test("d37: a user whom a number of reactions counts without a name is counted once", arguments: [false, true])
    func countedWithoutName(isReversed: Bool) throws {
        func added(_ user: UserID, _ time: Int64) -> Event {
            .reactionAdded("x", to: .server("s"), by: user, in: group, at: ms(time))
        }
        func removed(_ user: UserID, _ time: Int64) -> Event {
            .reactionRemoved("x", from: .server("s"), by: user, in: group, at: ms(time))
        }
        func number(_ count: UInt32, asOf time: Int64?) -> Event {
            let reactions = [ReactionSummary(key: "x", count: count)]
            return told(MessageSnapshotReceived(.server("s"), asOf: time.map { ms($0) }, reactions: reactions))
        }
        try withTemporaryStore { store throws in
            func record(_ events: Event...) throws { try store.record(isReversed ? events.reversed() : events) }
            try store.record(received("s", at: 1), added("c", 50), number(5, asOf: 100))
            // One who was not among the five comes and goes, one who was goes and comes.
            try record(added("a", 110), removed("a", 120))
            #expect(try reactions(store) == ["x::5"])
            try record(removed("b", 111), added("b", 121))
            #expect(try reactions(store) == ["x:b:5"])
            // One who is known to be among them is told to have given it again, and then takes it back.
            try store.record(added("c", 130))
            #expect(try reactions(store) == ["x:b,c:5"])
            try store.record(removed("c", 140))
            #expect(try reactions(store) == ["x:b:4"])
            // A number without a time counts what was recorded before; the server's echo of it comes later.
            try store.record(added("me", 150), number(7, asOf: nil), added("me", 152))
            #expect(try reactions(store) == ["x:me:7"])
            // Nobody but those who are named: who is not among them is new.
            let named = ReactionSummary(key: "x", users: ["a"], count: 1)
            try store.record([told(MessageSnapshotReceived(.server("s"), asOf: ms(200), reactions: [named]))])
            try store.record([added("me", 210)])
            #expect(try reactions(store) == ["x:a,me:2"])
        }
    }

    @Test("d37: counts of an own message raise its status, and never fall")
    func counts() throws {
        let mine = try store.local(queued("mine"))
        try store.record(sent(mine, "s", at: 10))
        try store.record(told(MessageSnapshotReceived(.server("s"), deliveredCount: 2)))
        #expect(try store.message(mine)?.status == .delivered)
        try store.record(told(Self.everything))
        try store.record(
            told(
                MessageSnapshotReceived(
                    .server("s"), counts: ReadCounts(read: 1, unread: 4), deliveredCount: 1)))
        #expect(try store.message(mine)?.status == .read)
        let receipts = try store.read { try $0.receipts(of: .server("s"), in: group) }
        #expect(receipts.counts == ReadCounts(read: 2, unread: 3) && receipts.deliveredCount == 4)
    }

    @Test("d37: an edit and a recall that the server tells end the changes that wait for it")
    func pendingChanges() throws {
        try store.record([received("s", at: 1, from: "me"), modified("s", "here", at: 40)])
        #expect(try store.read { try $0.pendingChanges().count } == 1)
        try store.record(told(Self.everything))
        #expect(try store.read { try $0.pendingChanges().count } == 0)
        try store.record(recalled("s"))
        try store.record(told(MessageSnapshotReceived(.server("s"), isRecalled: true)))
        #expect(try store.read { try $0.pendingChanges().count } == 0)
    }

    @Test("d37: its content goes with the message's when that is redacted")
    func redaction() throws {
        let position = try #require(try store.record(received("s", at: 1)).position)
        try store.record(told(Self.everything))
        try store.redact(position)
        #expect(try store.message("s")?.content == MessageContent(type: .text))
        #expect(try store.message("s")?.isRedacted == true)
    }

    @Test("d37: one that tells nothing, half an edit, a key twice or fewer than it names is refused")
    func rules() throws {
        let wrong = [
            MessageSnapshotReceived(.server("s")), MessageSnapshotReceived(.server("s"), flags: []),
            MessageSnapshotReceived(.server("s"), content: .text("x")),
            MessageSnapshotReceived(.server("s"), modifiedTime: ms(1), isRecalled: true),
            MessageSnapshotReceived(
                .server("s"), reactions: [ReactionSummary(key: "x"), ReactionSummary(key: "x", count: 1)]),
            MessageSnapshotReceived(
                .server("s"), reactions: [ReactionSummary(key: "x", users: ["a", "b"], count: 1)]),
            MessageSnapshotReceived(.server("s"), reactions: [ReactionSummary(key: "")]),
        ]
        try withTemporaryStore { store throws in
            for snapshot in wrong { expectError(.invalidArgument) { try store.record(told(snapshot)) } }
            #expect(try store.record([told(Self.everything)]).unmatched == [0])
        }
    }

    @Test("d37: news are what is not known yet, and nothing once they are recorded")
    func news() throws {
        func news(_ told: MessageSnapshotReceived) throws -> MessageSnapshotReceived? {
            try store.read { try $0.news(of: told, in: group) }
        }
        #expect(try news(Self.everything) == Self.everything, "nothing is known of a message that has not come")
        try store.record(received("s", at: 10))
        var expected = Self.everything
        expected.flags = .read
        #expect(try news(Self.everything) == expected)
        try store.record(told(expected))
        #expect(try news(Self.everything) == nil)
        var later = Self.everything
        (later.content, later.modifiedTime, later.isRecalled) = (.text("again"), ms(51), true)
        later.reactions?[1].count = 8
        expected = MessageSnapshotReceived(
            .server("s"), asOf: ms(100), content: .text("again"), modifiedTime: ms(51), isRecalled: true,
            reactions: later.reactions)
        #expect(try news(later) == expected)
    }

    @Test(
        "d37: news of receipts are the server's numbers; who sent receipts is not looked at",
        .enabled(if: TemporaryStore.key == nil, "changes a row in the files"))
    func newsWithoutReceipts() throws {
        let place = try TemporaryStore()
        let told = MessageSnapshotReceived(.server("s"), counts: ReadCounts(read: 2, unread: 3), deliveredCount: 4)
        try place.withStore { store throws in
            let local = try store.local(queued("own"))
            try store.record(sent(local, "s", at: 10), readByPeer(.upTo(ms(20)), at: 30), self.told(told))
        }
        try place.replaceRows(ofTable: ViewTable.named("receiptMarks").name) { row in
            StoredRow(key: row.key, value: Array(row.value.prefix(row.value.count / 2)))
        }
        try place.withStore { store throws in
            let error = storeError { _ = try store.read { try $0.receipts(of: .server("s"), in: group) } }
            #expect(error?.code == .viewsDamaged, "a look at who sent receipts fails")
            let known = try store.read { try $0.news(of: told, in: group) }
            #expect(known == nil)
            var later = told
            (later.counts, later.deliveredCount) = (ReadCounts(read: 3, unread: 2), 5)
            let news = try store.read { try $0.news(of: later, in: group) }
            #expect(news == later)
        }
    }

    @Test("d37: flags that a copy is the first to tell are added, once")
    func copies() throws {
        func copy(_ flags: MessageFlags?) -> Event {
            .received("s", from: "bob", in: group, at: ms(1), content: .text("s"), flags: flags)
        }
        try store.record([copy(nil), copy(.retrieved), copy([.retrieved, .listened])])
        #expect(try store.message("s")?.flags == .retrieved && store.unread().messages == 1)
        for _ in 0..<2 { try store.record([copy([.read, .listened]), copy(.read)]) }
        #expect(try store.message("s")?.flags == [.read, .retrieved] && store.unread().messages == 0)
        #expect(try store.events(where: EventFilter(types: [.messageSnapshotReceived])).count == 2)
    }

    @Test("d37: one call updates a page of history to the server's state; asked again, nothing is recorded")
    func history() async throws {
        let place = try TemporaryStore()
        let snapshots = [
            MessageSnapshotReceived(.server("m1"), content: .text("edited"), modifiedTime: ms(99)),
            MessageSnapshotReceived(.server("m2"), isRecalled: true),
            MessageSnapshotReceived(
                .server("m3"), asOf: ms(99), reactions: [ReactionSummary(key: "+1", users: ["a"])]),
            MessageSnapshotReceived(.server("m4")),
            MessageSnapshotReceived(.server("elsewhere"), isRecalled: true),
        ]
        let provider = FakeHistoryProvider(4) { _, right in
            var page = right
            page.snapshots = snapshots
            return page
        }
        let store = try place.open { $0.hooks.historyProvider = provider }
        // m2 was received before; a hole lies beneath it.
        try await store.record(received("m2", at: 20))
        for _ in 0..<2 {
            let page = try await store.history(of: group)
            #expect(page.elements.map(\.text) == ["edited", nil, "m3", "m4"])
            #expect(try reactions(store, to: "m3") == ["+1:a:1"])
            await #expect(try store.events(where: EventFilter(types: [.messageSnapshotReceived])).count == 3)
            // What was loaded is asked for again.
            try await store.record(Event(HistoryGapFound(), in: group))
        }
        #expect(provider.questions.count == 2)
        let remote = try await store.remoteHistory(of: group, limit: 1)
        #expect(remote.elements.map(\.serverID) == ["m4"] && remote.elements.allSatisfy(\.isRecorded))
        #expect(try store.isConsistent())
        try await store.close()
    }
}
