import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d5: which messages count as unread", .store)
struct CountedMessageTests {
    @Test("d5: own messages never count, from this device or another")
    func ownMessages() throws {
        try store.record(queued("a"), received("b", at: 1, from: TemporaryStore.account, origin: .otherDevice))
        #expect(try store.unread() == .none)
        #expect(try store.totals().messages == 0)
    }

    @Test(
        "d5, E8: only the policy \"count\" counts",
        arguments: [(MessagePolicy.standard, 1), (.uncounted, 0), (.silent, 0)])
    func policies(policy: MessagePolicy, count: Int) throws {
        try store.record(received("a", at: 1, policy: policy))
        #expect(try store.unread().messages == count)
        #expect(try store.texts() == ["a"])
    }

    @Test("d5: recalled and deleted messages do not count, unread or read", arguments: [false, true], [false, true])
    func recallAndDelete(isRecall: Bool, isRead: Bool) throws {
        try store.record(received("a", at: 1), received("b", at: 2), received("c", at: 3))
        if isRead { try store.record(read(order(2, "b"))) }
        try store.record(isRecall ? recalled("b") : deleted("b"))
        #expect(try store.unread().messages == (isRead ? 1 : 2))
        try store.record(isRecall ? recalled("b") : deleted("b"))
        try store.record(deleted("b"), recalled("b"))
        #expect(try store.unread().messages == (isRead ? 1 : 2))
    }

    @Test("d18, d21: a recall or deletion that comes before its message holds when it arrives")
    func tombstones() throws {
        try store.record(recalled("a"), deleted("b"))
        try store.record(received("a", at: 1), received("b", at: 2))
        #expect(try store.unread().messages == 0)
        #expect(try store.page().elements.map(\.serverID) == ["a"])
        #expect(try store.message("a")?.isRecalled == true)
        #expect(try store.message("b") == nil)
    }

    @Test("d5: mentions of this account or of everybody are counted with the messages")
    func mentions() throws {
        try store.record(
            received("a", at: 1, mentions: [TemporaryStore.account]), received("b", at: 2, mentions: ["eve"]),
            received("c", at: 3))
        var everybody = MessageReceived(serverID: "d", sender: "bob", sentTime: ms(4), content: .text("d"))
        everybody.context.mentionsEveryone = true
        try store.record(Event(everybody, in: group))
        #expect(try store.unread().mentions == 2)
        #expect(try store.totals().mentions == 2)
        try store.record(deleted("d"))
        #expect(try store.unread().mentions == 1)
        try store.record(read(order(1, "a")))
        #expect(try store.unread().mentions == 0)
        #expect(try store.unread().messages == 2)
    }

    @Test("C21: mentions without the policy \"count\" are not counted")
    func uncountedMention() throws {
        try store.record(received("a", at: 1, policy: .uncounted, mentions: [TemporaryStore.account]))
        #expect(try store.unread() == .none)
    }

    @Test("d5: a modified message counts once, before and after it is read")
    func modification() throws {
        try store.record(received("a", at: 1), modified("a", "new", at: 5))
        #expect(try store.unread().messages == 1)
        try store.record(read(), modified("a", "newer", at: 6))
        #expect(try store.unread().messages == 0)
        #expect(try store.texts() == ["newer"])
    }

    @Test("the first unread message is the oldest that counts above the marker")
    func firstUnread() throws {
        func first() throws -> ServerMessageID? { try store.read { try $0.firstUnread(in: group)?.serverID } }
        #expect(try first() == nil)
        try store.record(received("a", at: 1), received("b", at: 2, policy: .uncounted), received("c", at: 3))
        #expect(try first() == "a")
        try store.record(read(order(1, "a")))
        #expect(try first() == "c")
        try store.record(recalled("c"))
        #expect(try first() == nil)
    }
}
