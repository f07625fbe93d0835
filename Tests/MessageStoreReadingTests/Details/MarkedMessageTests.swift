import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Pins and stars: the expectations are those of d41 in `Docs/Requirements.md`.
@Suite("Pinned and starred messages", .store, .timeLimit(.minutes(30)))
struct MarkedMessageTests {
    private func pin(
        _ message: MessageReference, _ isPinned: Bool = true, by actor: UserID? = nil, at time: Int64? = nil,
        in conversation: ConversationKey = group
    ) -> Event {
        Event(MessagePinned(message, isPinned, by: actor, at: time.map(ms)), in: conversation)
    }

    private func star(
        _ message: MessageReference, _ isStarred: Bool = true, at time: Int64? = nil,
        in conversation: ConversationKey = group
    ) -> Event {
        Event(MessageStarred(message, isStarred, at: time.map(ms)), in: conversation)
    }

    private func pinned(_ store: MessageStore) throws -> [LocalMessageID] {
        try store.read { try $0.pinnedMessages(in: group).elements }.map(\.id)
    }

    private func starred(_ store: MessageStore, in key: ConversationKey? = nil) throws -> [LocalMessageID] {
        try store.read { try $0.starredMessages(in: key).elements }.map(\.id)
    }

    @Test("d41: the latest choice holds, whichever is recorded first; of two of one time the one that sets")
    func merged() throws {
        let choices = [
            pin(.server("a"), by: "bob", at: 10), pin(.server("a"), false, at: 20),
            pin(.server("a"), by: "eve", at: 30),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            try withTemporaryStore { store throws in
                try store.record(received("a", at: 1))
                for index in order { try store.record(choices[index]) }
                let marked = try #require(try store.read { try $0.pinnedMessages(in: group).elements }.first)
                #expect(marked.message.serverID == "a" && marked.time == ms(30) && marked.actor == "eve")
                try store.record(pin(.server("a"), false, at: 30))
                #expect(try pinned(store) == [LocalMessageID(1)])
                try store.record(pin(.server("a"), false, at: 31))
                #expect(try pinned(store) == [])
            }
        }
    }

    @Test("d41: the latest choice without a time is the one that is recorded last, even after a time that is far ahead")
    func untimed() throws {
        try store.record(received("a", at: 1), Event(MessageStarred(.server("a"), at: .latest), in: group))
        let marked = try #require(try store.read { try $0.starredMessages().elements }.first)
        let day: Int64 = 24 * 60 * 60 * 1000
        #expect(marked.time.milliseconds == marked.message.recordedTime.milliseconds + day)
        try store.record(star(.server("a"), false))
        #expect(try starred(store) == [])
        try store.record(star(.server("a"), at: 5))
        #expect(try starred(store) == [])
        try store.record(star(.server("a")))
        #expect(try starred(store) == [LocalMessageID(1)])
        #expect(try store.read { try $0.isStarred(.server("a"), in: group) })
        #expect(try !store.read { try $0.isPinned(.server("a"), in: group) })
    }

    @Test("d41: a mark waits under the server's id for its message; a local id that is none marks nothing")
    func parked() throws {
        try store.record(
            pin(.server("later"), at: 10), star(.server("later"), at: 11), star(.local(LocalMessageID(5)), at: 12))
        #expect(try pinned(store) == [] && starred(store) == [])
        #expect(try !store.read { try $0.isStarred(.server("later"), in: group) })
        try store.record(received("later", at: 1, in: peer))
        #expect(try pinned(store) == [] && starred(store) == [])
        try store.record(received("later", at: 1))
        #expect(try pinned(store) == [LocalMessageID(5)] && starred(store) == [LocalMessageID(5)])
    }

    @Test("d41: a message that is acknowledged keeps its marks, and those that were told of its server id")
    func acknowledged() throws {
        let first = try store.local(queued("one"))
        let second = try store.local(queued("two"))
        try store.record(
            star(.local(first), at: 10), pin(.local(second), at: 20), pin(.server("second"), false, at: 30),
            star(.server("second"), at: 40))
        #expect(try starred(store) == [first] && pinned(store) == [second])
        // The echo of the second comes before its acknowledgement.
        try store.record(received("second", at: 2, from: "me", origin: .otherDevice))
        try store.record(sent(first, "first", at: 1), sent(second, "second", at: 2))
        #expect(try starred(store) == [second, first] && pinned(store) == [])
        try store.record(star(.server("first"), false, at: 50))
        #expect(try starred(store) == [second])
    }

    @Test("d41: recalled messages leave the pins, deleted and cleared ones leave pins and stars")
    func leaving() throws {
        let ids: [ServerMessageID] = ["cleared", "deleted", "recalled", "stays"]
        for (index, id) in ids.enumerated() {
            try store.record(received(id, at: Int64(10 + index)))
            try store.record(pin(.server(id), at: Int64(100 + index)), star(.server(id), at: Int64(100 + index)))
        }
        #expect(try pinned(store).count == 4 && starred(store).count == 4)
        try store.record(recalled("recalled"), deleted("deleted"), cleared(order(10, "cleared")))
        let names = { (marked: [MarkedMessage]) in marked.compactMap(\.message.serverID) }
        #expect(try names(store.read { try $0.pinnedMessages(in: group).elements }) == ["stays"])
        #expect(try names(store.read { try $0.starredMessages().elements }) == ["stays", "recalled"])
        let isPinned = try store.read { views in try ids.map { try views.isPinned(.server($0), in: group) } }
        let isStarred = try store.read { views in try ids.map { try views.isStarred(.server($0), in: group) } }
        #expect(isPinned == [false, false, false, true] && isStarred == [false, false, true, true])
    }

    @Test("d41: pages are of the latest first, over one conversation or all; the cursor need not be marked any more")
    func pages() throws {
        var random = SplitMix64(seed: 41)
        let keys = [group, peer, ConversationKey.group("other")]
        var expected: [(id: LocalMessageID, key: ConversationKey, time: Int64)] = []
        for number in 0..<60 {
            let key = keys[random.nextIndex(3)]
            let id = ServerMessageID("m\(number)")
            let local = try store.local(received(id, at: Int64(number + 1), in: key))
            let time = Int64(1000 + (number * 37) % 60)
            try store.record(star(.server(id), at: time, in: key))
            expected.append((local, key, time))
        }
        expected.sort { $0.time > $1.time }
        for key in keys.map(Optional.some) + [nil] {
            let all = expected.filter { key == nil || $0.key == key }.map(\.id)
            for limit in [1, 7, 1000] {
                let found = try store.read { views in
                    try views.all(atMost: all.count) { try $0.starredMessages(in: key, after: $1, limit: limit) }
                }
                #expect(found.map(\.id) == all)
            }
        }
        let page = try store.read { try $0.starredMessages(limit: 10) }
        let last = try #require(page.elements.last)
        try store.record(star(.local(last.id), false, in: last.message.conversation))
        let next = try store.read { try $0.starredMessages(after: page.next, limit: 1).elements }
        #expect(next.map(\.id) == [expected[10].id])
        #expect(try store.read { try $0.pinnedMessages(in: .group("unknown")).elements } == [])
    }

    @Test("d41: a mark of a repeat is one of its original, and another id of a message names its marks")
    func repeats() throws {
        let original = try store.local(received("a", at: 1))
        try store.record(star(.server("more"), at: 10))
        try store.record(
            Event(
                MessageDuplicateSuppressed(serverID: "more", duplicateOf: original, rule: .clientToken), in: group))
        #expect(try starred(store) == [original])
        try store.record(star(.server("more"), false, at: 20))
        #expect(try starred(store) == [])
        try store.record(received("b", at: 2))
        try store.record(
            Event(MessageDuplicateSuppressed(serverID: "b", duplicateOf: original, rule: .content), in: group))
        try store.record(star(.server("b"), at: 30))
        #expect(try starred(store) == [original])
    }

    @Test("d41: a mark of a repeat before it was found to be one is one of its original")
    func earlierMarksOfRepeats() throws {
        try store.record(pin(.server("b"), by: "carol", at: 10))
        let original = try store.local(received("a", at: 1))
        try store.record(received("b", at: 2))
        try store.record(
            Event(MessageDuplicateSuppressed(serverID: "b", duplicateOf: original, rule: .content), in: group))
        #expect(try pinned(store) == [original])
    }

    @Test("d41: of two choices of one time for two names of a message, the later in the log holds")
    func tieOfNames() throws {
        let mine = try store.local(queued("mine"))
        try store.record(pin(.server("m"), by: "alice", at: 5), pin(.local(mine), by: "bob", at: 5))
        try store.record(sent(mine, "m", at: 3))
        #expect(try store.read { try $0.pinnedMessages(in: group).elements }.map(\.actor) == ["bob"])
    }

    @Test("d41: an observed list of pins follows marks and messages")
    func live() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let shown = Follower(store.observe { try $0.pinnedMessages(in: group).elements }.updates(of: { $0 }))
        #expect(try await shown.next()?.rows == [])
        try await store.record(received("a", at: 1))
        try await store.record(pin(.server("a"), by: "bob", at: 10))
        #expect(try await shown.next()?.rows.map(\.actor) == ["bob"])
        try await store.record(recalled("a"))
        #expect(try await shown.next()?.rows == [])
        try await store.close()
    }
}
