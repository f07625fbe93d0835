import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d44: who is mentioned", .store)
struct MentionLevelTests {
    private func message(_ id: ServerMessageID, at time: Int64, _ context: MessageContext) -> Event {
        Event(
            MessageReceived(serverID: id, sender: "alice", sentTime: ms(time), content: .text("hi"), context: context),
            in: group, origin: .live)
    }

    private func record(_ store: MessageStore) throws {
        try store.record([
            received("a", at: 1), message("b", at: 2, MessageContext(mentions: ["me", "bob"])),
            message("c", at: 3, MessageContext(mentionsEveryone: true)),
            message("d", at: 4, MessageContext(mentions: ["me"], mentionsEveryone: true)),
            message("e", at: 5, MessageContext(mentions: ["bob"], mentionsEveryone: true)),
            message("f", at: 6, MessageContext(mentions: ["bob"])),
        ])
    }

    @Test("d44: mentions of everyone are distinguished from those of the account")
    func levels() throws {
        try record(store)
        let unread = try store.unread()
        #expect(unread.mentions == 4 && unread.everyoneMentions == 2 && unread.personalMentions == 2)
        let totals = try store.totals()
        #expect(totals.mentions == 4 && totals.everyoneMentions == 2 && totals.personalMentions == 2)
        try store.record(recalled("c"), read(order(2, "b")))
        #expect(try store.unread().mentions == 2)
        #expect(try store.unread().everyoneMentions == 1)
        #expect(try store.unread().personalMentions == 1)
        try store.record(read())
        #expect(try store.totals() == UnreadTotals())
    }

    @Test("d44: counted again above a place, they are distinguished; what a server counts is not of everyone")
    func recount() throws {
        try record(store)
        try store.record(Event(UnreadCountReported(7, mentions: 3, upTo: order(3, "c")), in: group))
        let unread = try store.unread()
        #expect(unread.mentions == 3 + 2 && unread.everyoneMentions == 1 && unread.personalMentions == 4)
        #expect(try store.totals().personalMentions == 4)
    }
}
