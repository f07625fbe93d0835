import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A filter judges edits", .timeLimit(.minutes(30)))
struct EditFilterTests {
    private static let censor = FakeMessageFilter { messages, _ in
        messages.map { message in
            switch message.content.text {
            case "spam": .hide
            case "rude": .replace(.text("…"))
            default: .keep
            }
        }
    }

    private func withStore(_ body: (MessageStore) throws -> Void) throws {
        try withTemporaryStore({ $0.hooks.messageFilter = Self.censor }) { store throws in
            try body(store)
        }
    }

    /// What a server tells of a message that was changed.
    private func told(_ id: ServerMessageID, _ text: String, at time: Int64) -> Event {
        Event(
            MessageSnapshotReceived(.server(id), content: .text(text), modifiedTime: ms(time)), in: group,
            origin: .history)
    }

    @Test(
        "A26: an edit, and what a server reports of one, is hidden, replaced and shown again", arguments: [false, true])
    func edits(isReported: Bool) throws {
        func edit(_ text: String, at time: Int64) -> Event {
            isReported ? told("a", text, at: time) : modified("a", text, at: time)
        }
        try withStore { store throws in
            try store.record(received("a", at: 1))
            let last = try store.lastPosition()
            try store.record(edit("fine", at: 2))
            #expect(try store.texts() == ["fine"])
            #expect(try store.lastPosition().rawValue == last.rawValue + 1, "what changes nothing is not recorded")
            try store.record(edit("rude", at: 3))
            #expect(try store.texts() == ["…"])
            #expect(try store.message("a")?.isReplaced == true)
            try store.record(edit("spam", at: 4))
            #expect(try store.texts().isEmpty && store.unread().messages == 0)
            try store.record(edit("rude", at: 2))
            #expect(try store.texts().isEmpty, "an older edit is not shown, and not judged")
            try store.record(edit("good", at: 5))
            #expect(try store.texts() == ["good"] && store.unread().messages == 1)
            #expect(try store.message("a")?.isReplaced == false)
        }
    }

    @Test("A26: an edit in the package of its message, before or behind it, and one that came before")
    func inOneBatch() throws {
        try withStore { store throws in
            try store.record([received("a", at: 1), modified("a", "spam", at: 2), received("b", at: 3)])
            #expect(try store.texts() == ["b"])
            try store.record([modified("c", "rude", at: 5), received("c", at: 4), modified("c", "spam", at: 4)])
            #expect(try store.texts() == ["b", "…"])
            try store.record(modified("d", "spam", at: 7))
            try store.record(received("d", at: 6, origin: .history))
            #expect(try store.texts() == ["b", "…"])
            try store.record([received("e", at: 8, text: "spam"), modified("e", "fine", at: 9)])
            #expect(try store.texts() == ["b", "…", "fine"])
        }
    }

    @Test("A28: the edit of an own message is not judged")
    func own() throws {
        try withStore { store throws in
            try store.record(received("a", at: 1, from: "me", origin: .otherDevice))
            try store.record(modified("a", "spam", at: 2))
            #expect(try store.texts() == ["spam"])
        }
    }

    @Test("A26, d13: another filter looks at what is shown after the edits", arguments: [false, true])
    func refilter(isReported: Bool) async throws {
        let place = try TemporaryStore()
        let plain = try place.open()
        try await plain.record([
            received("a", at: 1), isReported ? told("a", "spam", at: 2) : modified("a", "spam", at: 2),
            received("b", at: 3, text: "spam"), modified("b", "fine", at: 4),
        ])
        #expect(try plain.texts() == ["spam", "fine"])
        try await plain.close()
        let store = try place.open { $0.hooks.messageFilter = Self.censor }
        #expect(try await store.refilter() == 1)
        #expect(try store.texts() == ["fine"])
        #expect(try await store.refilter() == 0)
        #expect(try store.isConsistent())
        try await store.close()
    }
}
