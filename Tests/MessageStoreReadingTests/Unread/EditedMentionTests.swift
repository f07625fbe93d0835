import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Edits change whom a message mentions", .store)
struct EditedMentionTests {
    private func edited(
        _ id: ServerMessageID, at time: Int64, _ mentions: [UserID]?, everyone: Bool = false
    ) -> Event {
        Event(
            MessageModified(
                .server(id), content: .text("edited"), at: ms(time), mentions: mentions, mentionsEveryone: everyone,
                by: "bob"), in: group)
    }

    private func mentions(_ store: MessageStore) throws -> [Int] {
        let (unread, totals) = (try store.unread(), try store.totals())
        #expect(unread.mentions == totals.mentions && unread.everyoneMentions == totals.everyoneMentions)
        let walk = try store.read { try $0.unreadMentions(in: group) }.elements
        let all = try store.read { try $0.mentions(in: group).elements }
        #expect(walk.count == unread.mentions && all.count == unread.mentions)
        return [unread.messages, unread.personalMentions, unread.everyoneMentions]
    }

    @Test("d44: an edit adds, changes and removes a mention; one that does not tell leaves it")
    func edits() throws {
        try store.record(received("a", at: 1), received("b", at: 2, mentions: ["me"]))
        #expect(try mentions(store) == [2, 1, 0])
        try store.record(edited("a", at: 10, ["eve", "me"]))
        #expect(try mentions(store) == [2, 2, 0])
        #expect(try store.message("a")?.context.mentions == ["eve", "me"])
        try store.record(edited("b", at: 11, []))
        #expect(try mentions(store) == [2, 1, 0])
        #expect(try store.message("b")?.context.mentions == [])
        try store.record(edited("a", at: 12, nil, everyone: true))
        #expect(try mentions(store) == [2, 0, 1])
        #expect(try store.message("a")?.context.mentionsEveryone == true)
        try store.record(edited("a", at: 13, ["me"], everyone: true))
        #expect(try mentions(store) == [2, 1, 0])
        try store.record(edited("a", at: 14, nil))
        #expect(try mentions(store) == [2, 1, 0], "it tells nothing of mentions")
        try store.record(edited("a", at: 9, []))
        #expect(try mentions(store) == [2, 1, 0], "it is older than what holds")
        try store.record(recalled("a"))
        #expect(try store.unread().mentions == 0)
    }

    @Test("d44: an edit that comes before its message counts when it arrives, and the count follows the marker")
    func ahead() throws {
        try store.record(edited("a", at: 10, ["me"]), edited("b", at: 10, []))
        try store.record(received("a", at: 1), received("b", at: 2, mentions: ["me"]), received("c", at: 3))
        #expect(try mentions(store) == [3, 1, 0])
        try store.record(Event(ConversationRead(upTo: order(1, "a")), in: group))
        #expect(try store.unread().mentions == 0 && store.unread().messages == 2)
        try store.record(edited("b", at: 11, nil, everyone: true))
        #expect(try store.unread().mentions == 1 && store.unread().everyoneMentions == 1)
        // The server's count with a place begins to count anew above it.
        try store.record(Event(UnreadCountReported(1, upTo: order(1, "a")), in: group))
        #expect(try store.unread().everyoneMentions == 1)
    }

    @Test("d44: a server's copy of a message says whom its last edit mentions")
    func copies() throws {
        func copy(_ time: Int64, _ mentions: [UserID]?, everyone: Bool = false) -> MessageSnapshotReceived {
            MessageSnapshotReceived(
                .server("a"), content: .text("edited"), modifiedTime: ms(time), mentions: mentions,
                mentionsEveryone: everyone)
        }
        func news(_ told: MessageSnapshotReceived) throws -> MessageSnapshotReceived? {
            try store.read { try $0.news(of: told, in: group) }
        }
        try store.record(Event(copy(10, ["me"]), in: group, origin: .history))
        try store.record(received("a", at: 1), received("b", at: 2))
        #expect(try mentions(store) == [2, 1, 0])
        #expect(try store.message("a")?.context.mentions == ["me"])
        #expect(try news(copy(10, ["me"])) == nil && news(copy(11, [])) == copy(11, []))
        try store.record(edited("a", at: 11, []), Event(copy(12, nil), in: group))
        #expect(try mentions(store) == [2, 0, 0], "the second copy says nothing of mentions")
        #expect(try news(copy(12, nil, everyone: true)) == copy(12, nil, everyone: true))
        try store.record(Event(copy(12, nil, everyone: true), in: group))
        #expect(try mentions(store) == [2, 0, 1])
        #expect(try store.message("a")?.context.mentionsEveryone == true)
        let withoutContent = MessageSnapshotReceived(.server("a"), mentions: ["me"], isRecalled: true)
        expectError(.invalidArgument) { try store.record(Event(withoutContent, in: group)) }
    }

    @Test("who edited is kept, and an edit of an earlier version tells neither mentions nor editor")
    func editor() throws {
        try store.record(received("a", at: 1), edited("a", at: 2, []), modified("a", "x", at: 3))
        let edits = try store.events(where: EventFilter(types: [.messageModified])).map(\.event.payload)
        let told = try edits.map { try #require($0 as? MessageModified) }
        #expect(told.map(\.actor) == ["bob", nil] && told.map(\.mentions) == [[], nil])
    }
}
