import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// What messages said: the expectations are those of d47 in `Docs/Requirements.md`.
@Suite("Versions of messages", .store, .timeLimit(.minutes(30)))
struct MessageEditTests {
    private func edit(_ message: MessageReference, _ text: String, at time: Int64, _ origin: Origin = .live) -> Event {
        Event(MessageModified(message, content: .text(text), at: ms(time)), in: group, origin: origin)
    }

    private func copy(_ message: MessageReference, _ text: String, at time: Int64) -> Event {
        Event(
            MessageSnapshotReceived(message, content: .text(text), modifiedTime: ms(time)), in: group, origin: .history)
    }

    private func versions(_ store: MessageStore, of message: MessageReference) throws -> [MessageVersion] {
        try store.read { try $0.edits(of: message, in: group).elements }
    }

    private func texts(_ store: MessageStore, of message: MessageReference) throws -> [String?] {
        try versions(store, of: message).map(\.content.text)
    }

    @Test("d47: the original and every edit sort by their times, whichever is recorded first; the last is shown")
    func ordered() throws {
        let events = [
            received("a", at: 15, text: "original"), edit(.server("a"), "at 10", at: 10),
            copy(.server("a"), "at 30", at: 30), edit(.server("a"), "at 20", at: 20),
        ]
        let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 2, 3, 0], [3, 0, 1, 2]]
        for order in orders {
            try withTemporaryStore { store throws in
                for index in order { try store.record(events[index]) }
                #expect(try texts(store, of: .server("a")) == ["original", "at 10", "at 20", "at 30"])
                #expect(try versions(store, of: .server("a")).map(\.time) == [ms(15), ms(10), ms(20), ms(30)])
                #expect(try store.message("a")?.content.text == "at 30")
            }
        }
    }

    @Test("d47: a version names its event and how the store learned of it; of one time the later in the log is later")
    func origins() throws {
        try store.record(received("a", at: 1), edit(.server("a"), "mine", at: 5, .local))
        try store.record(edit(.server("a"), "echo", at: 5), copy(.local(LocalMessageID(1)), "copy", at: 5))
        // What tells no content is no version.
        try store.record(
            Event(MessageSnapshotReceived(.server("a"), isRecalled: false, flags: .read), in: group))
        let versions = try versions(store, of: .local(LocalMessageID(1)))
        #expect(versions.map(\.content.text) == ["a", "mine", "echo", "copy"])
        #expect(versions.map(\.position.rawValue) == [1, 2, 3, 4])
        #expect(versions.map(\.origin) == [.live, .local, .live, .history])
        #expect(try store.message("a")?.content.text == "copy")
    }

    @Test("d47: edits wait for their message, and those of both of its names are of one message")
    func names() throws {
        let local = try store.local(queued("original"))
        try store.record(
            edit(.server("s"), "of the server's id", at: 20), edit(.local(local), "of the local", at: 10))
        #expect(try texts(store, of: .local(local)) == ["original", "of the local"])
        #expect(try texts(store, of: .server("s")) == [])
        // The echo of the message comes before its acknowledgement.
        let echo = try store.local(received("s", at: 2, from: "me", text: "original", origin: .otherDevice))
        try store.record(edit(.local(echo), "of the echo", at: 30))
        #expect(try texts(store, of: .server("s")) == ["original", "of the server's id", "of the echo"])
        try store.record(sent(local, "s", at: 2))
        let all = ["original", "of the local", "of the server's id", "of the echo"]
        #expect(try texts(store, of: .server("s")) == all)
        #expect(try texts(store, of: .local(local)) == all)
        #expect(try store.message(local)?.content.text == "of the echo")
        // The echo's id is one more name of the message.
        try store.record(edit(.local(echo), "last", at: 40))
        #expect(try texts(store, of: .server("s")) == all + ["last"] && texts(store, of: .local(echo)) == [])
        #expect(try store.message(local)?.content.text == "last")
    }

    @Test("d47: an edit of a repeat is one of its original, and another id of a message names its versions")
    func repeats() throws {
        let original = try store.local(received("a", at: 1))
        try store.record(
            edit(.server("more"), "of another id", at: 10),
            Event(
                MessageDuplicateSuppressed(serverID: "more", duplicateOf: original, rule: .clientToken), in: group))
        #expect(try texts(store, of: .server("a")) == ["a", "of another id"])
        #expect(try texts(store, of: .server("more")) == ["a", "of another id"])
        try store.record(
            received("b", at: 2), edit(.server("b"), "not yet a repeat", at: 15),
            Event(MessageDuplicateSuppressed(serverID: "b", duplicateOf: original, rule: .content), in: group))
        #expect(try texts(store, of: .server("a")) == ["a", "of another id", "not yet a repeat"])
        #expect(try store.message("a")?.content.text == "not yet a repeat")
        try store.record(edit(.server("b"), "of a repeat", at: 20))
        let all = ["a", "of another id", "not yet a repeat", "of a repeat"]
        #expect(try texts(store, of: .server("a")) == all)
        #expect(try texts(store, of: .server("b")) == [])
    }

    @Test("d47: messages that are recalled, not shown, or show a filter's content have no versions")
    func absent() throws {
        let ids: [ServerMessageID] = ["cleared", "deleted", "recalled", "hidden", "replaced", "stays"]
        for (index, id) in ids.enumerated() {
            try store.record(received(id, at: Int64(10 + index)), edit(.server(id), "edited", at: 100))
            #expect(try texts(store, of: .server(id)) == [id.rawValue, "edited"])
        }
        let verdict = { (id: ServerMessageID, verdict: FilterVerdict) in
            Event(MessageFiltered(.server(id), verdict: verdict), in: group)
        }
        try store.record([
            recalled("recalled"), deleted("deleted"), cleared(order(10, "cleared")), verdict("hidden", .hide),
            verdict("replaced", .replace(.text("***"))),
        ])
        let counts = try ids.map { try versions(store, of: .server($0)).count }
        #expect(counts == [0, 0, 0, 0, 0, 2])
        try store.record(verdict("hidden", .keep), verdict("replaced", .keep))
        let again = try ids.map { try versions(store, of: .server($0)).count }
        #expect(again == [0, 0, 0, 2, 2, 2])
        #expect(try versions(store, of: .server("unknown")).isEmpty)
    }

    @Test("d47: redaction removes the contents of all versions and leaves the versions")
    func redacted() throws {
        try store.record(received("a", at: 1, text: "secret"), edit(.server("a"), "edited secret", at: 10))
        try store.record(copy(.server("a"), "copied secret", at: 20), received("b", at: 2))
        let before = try versions(store, of: .server("a"))
        let digests = try store.digests()
        try store.redact(Position(1))
        let after = try versions(store, of: .server("a"))
        #expect(after.map(\.content) == [.init(type: .text), .init(type: .text), .init(type: .text)])
        #expect(
            after.map(\.isRedacted) == [true, true, true] && before.map(\.isRedacted) == [false, false, false])
        #expect(after.map(\.position) == before.map(\.position) && after.map(\.time) == before.map(\.time))
        #expect(try store.digests() == digests && store.isConsistent())
    }

    @Test("d47: pages of any size hold each version once; an id that begins another's has no part in it")
    func pages() throws {
        var random = SplitMix64(seed: 47)
        let ids: [ServerMessageID] = ["a", "ab", "a\0", "b"]
        var expected: [ServerMessageID: [(time: Int64, position: UInt64)]] = [:]
        for id in ids { try store.record(received(id, at: 5)) }
        for _ in 0..<60 {
            let id = ids[random.nextIndex(ids.count)]
            let time = Int64(random.nextIndex(12))
            let position = try #require(try store.record(edit(.server(id), "x", at: time)).position)
            expected[id, default: []].append((time, position.rawValue))
        }
        for (index, id) in ids.enumerated() {
            let edits = (expected[id] ?? []).sorted { ($0.time, $0.position) < ($1.time, $1.position) }
            let all = [UInt64(index + 1)] + edits.map(\.position)
            for limit in [1, 2, 7, 1000] {
                let found = try store.read { views in
                    try views.all(atMost: all.count) {
                        try $0.edits(of: .server(id), in: group, after: $1, limit: limit)
                    }
                }
                #expect(found.map(\.position.rawValue) == all)
            }
        }
        #expect(try store.read { try $0.edits(of: .server("a"), in: .group("unknown")).elements } == [])
    }

    @Test("d47: the page behind another is the same when the message was acknowledged between them")
    func acknowledgedBetweenPages() throws {
        func page(
            _ message: MessageReference, after last: PageCursor?, limit: Int = 50
        ) throws -> Page<MessageVersion> {
            try store.read { try $0.edits(of: message, in: group, after: last, limit: limit) }
        }
        let local = try store.local(queued("original"))
        try store.record((1...4).map { edit(.local(local), "at \($0)", at: $0) })
        let first = try page(.local(local), after: nil, limit: 1)
        let second = try page(.local(local), after: first.next, limit: 2)
        #expect((first.elements + second.elements).map(\.content.text) == ["original", "at 1", "at 2"])
        // The message's own time is behind that of some edits.
        try store.record(sent(local, "s", at: 3))
        for message in [MessageReference.local(local), .server("s")] {
            let texts = try page(message, after: second.next).elements.map(\.content.text)
            #expect(texts == ["at 3", "at 4"])
            let all = try page(message, after: first.next).elements.map(\.content.text)
            #expect(all == ["at 1", "at 2", "at 3", "at 4"])
        }
    }

    @Test("d47: the page after one of an echo has the versions of the message that took its place")
    func echoBetweenPages() throws {
        let local = try store.local(queued("original"))
        let echo = try store.local(received("s", at: 5, from: "me", text: "original", origin: .otherDevice))
        try store.record(
            edit(.local(local), "at 1", at: 1), edit(.server("s"), "at 3", at: 3), edit(.local(echo), "at 7", at: 7)
        )
        let pages = try store.read { views throws in
            let first = try views.edits(of: .server("s"), in: group, limit: 1)
            return [first, try views.edits(of: .server("s"), in: group, after: first.next, limit: 1)]
        }
        #expect(pages.flatMap(\.elements).map(\.content.text) == ["original", "at 3"])
        try store.record(sent(local, "s", at: 5))
        let rests = try pages.map { page in
            try store.read { try $0.edits(of: .server("s"), in: group, after: page.next).elements }.map(\.content.text)
        }
        #expect(rests == [["at 1", "at 3", "at 7"], ["at 7"]])
    }

    @Test("d47: observed versions follow edits")
    func live() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let shown = Follower(
            store.observe { try $0.edits(of: .server("a"), in: group).elements }.updates(of: { $0 }))
        #expect(try await shown.next()?.rows == [])
        try await store.record(received("a", at: 1))
        #expect(try await shown.next()?.rows.count == 1)
        try await store.record(edit(.server("a"), "edited", at: 2))
        #expect(try await shown.next()?.rows.map(\.content.text) == ["a", "edited"])
        try await store.close()
    }
}
