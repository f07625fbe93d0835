import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import Testing

@Suite("Search of messages that take over what others say", .timeLimit(.minutes(30)))
struct JoinedMessageTests {
    /// Records events one by one, with the index up to date before the last ones or not at all.
    private func found(_ events: [Event], indexedAfter count: Int?, _ typed: String) throws -> [String] {
        let chat = try SearchStore()
        for (index, event) in events.enumerated() {
            if index == count { try chat.index() }
            try chat.store.record(event)
        }
        if count != nil { try chat.index() }
        defer { try? chat.store.close() }
        return try chat.texts(typed)
    }

    private static let edit = Event.modified(
        .server("X"), content: .text("newword"), in: SearchStore.chat, at: Timestamp(milliseconds: 9), origin: .live)

    @Test(
        "a modification that comes before its message is acknowledged is found under it",
        arguments: [nil, 0, 2, 3])
    func acknowledged(indexedAfter count: Int?) throws {
        let events: [Event] = [
            .queued(.text("oldword"), in: SearchStore.chat), Self.edit,
            .sent(LocalMessageID(1), as: "X", in: SearchStore.chat, at: Timestamp(milliseconds: 5)),
        ]
        #expect(try found(events, indexedAfter: count, "newword") == ["newword"])
        #expect(try found(events, indexedAfter: count, "oldword") == [])
    }

    @Test(
        "an own message takes over what its echo says, which came before it was acknowledged",
        arguments: [nil, 0, 2, 3, 4])
    func echo(indexedAfter count: Int?) throws {
        let events: [Event] = [
            .queued(.text("oldword"), in: SearchStore.chat, clientToken: "t"),
            .received(
                "X", from: TemporaryStore.account, in: SearchStore.chat, at: Timestamp(milliseconds: 5),
                content: .text("oldword"), origin: .otherDevice),
            Self.edit, .sent(LocalMessageID(1), as: "X", in: SearchStore.chat, at: Timestamp(milliseconds: 5)),
        ]
        #expect(try found(events, indexedAfter: count, "newword") == ["newword"])
    }

    @Test("a modification of a repeat is found under the message that it repeats", arguments: [false, true])
    func repeated(isIndexed: Bool) throws {
        let chat = try SearchStore { $0.sync.duplicateSuppression.inConversations = true }
        for id in ["A", "X"] as [ServerMessageID] { try chat.receive("oldword", at: 5, id: id) }
        if isIndexed { try chat.index() }
        try chat.store.record(Self.edit)
        let shown = try chat.store.read { try $0.timeline(of: SearchStore.chat).elements.compactMap(\.text) }
        for _ in 0..<2 {
            #expect(try chat.texts("newword") == shown.filter { $0 == "newword" })
            if isIndexed { try chat.index() }
        }
        try chat.store.close()
    }
}
