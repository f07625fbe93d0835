import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d20, d21: deleted conversations and cleared histories", .store)
struct DeletedConversationTests {
    @Test("d20: deleting a conversation hides it, zeroes unread and keeps the messages")
    func deletion() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), received("b", at: 2), pinned(), markedUnread())
            try store.record(Event(ConversationDraftChanged("draft"), in: group))
            try store.record(conversationDeleted())
            #expect(try store.unread() == UnreadCount(readUpTo: order(2, "b")))
            #expect(try store.totals(includesMuted: true).conversations == 0)
            #expect(try store.list().isEmpty)
            let conversation = try #require(try store.conversation())
            #expect(conversation.isHidden && !conversation.isPinned)
            #expect(conversation.draft == nil)
            #expect(try store.texts() == ["a", "b"])
        }
    }

    @Test("d20: the next newer message revives it and only newer ones count")
    func revival() throws {
        try store.record(received("a", at: 1), received("m", at: 20), conversationDeleted())
        try store.record(received("late", at: 10), received("k", at: 20))
        #expect(try store.list().isEmpty, "older messages do not revive it")
        #expect(try store.unread().messages == 0)
        try store.record(received("n", at: 20))
        #expect(try store.list() == [group])
        #expect(try store.unread().messages == 1)
        #expect(try store.texts() == ["a", "late", "k", "m", "n"])
        #expect(try store.conversation()?.lastMessage?.text == "n")
    }

    @Test("d20: an own message revives it too")
    func revivalByOwnMessage() throws {
        try store.record(received("a", at: 1), conversationDeleted(), queued("mine"))
        #expect(try store.list() == [group])
        #expect(try store.unread() == UnreadCount(readUpTo: order(1, "a")))
    }

    @Test("d20: deleting with messages clears the timeline as well, and only newer messages come back")
    func deletionWithMessages() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), received("b", at: 2), conversationDeleted(alsoMessages: true))
            #expect(try store.texts().isEmpty)
            try store.record(received("c", at: 3))
            #expect(try store.texts() == ["c"])
            #expect(try store.unread().messages == 1)
            #expect(try store.page().hasOlder == false)
        }
    }

    @Test("d21: clearing the history keeps the place in the list and blocks copies fetched again")
    func clearing() throws {
        try store.record(received("x", at: 50, in: peer), received("a", at: 60), received("b", at: 70))
        let activity = try store.conversation()?.activity
        try store.record(cleared())
        #expect(try store.texts().isEmpty)
        #expect(try store.unread() == UnreadCount(readUpTo: order(70, "b")))
        #expect(try store.list() == [group, peer])
        #expect(try store.conversation()?.activity == activity)
        #expect(try store.conversation()?.lastMessage == nil)
        // The server's history still has one that this device had never seen.
        try store.record(received("old", at: 65, origin: .history), received("a", at: 60, origin: .history))
        #expect(try store.texts().isEmpty)
        #expect(try store.unread() == UnreadCount(readUpTo: order(70, "b")))
        #expect(try store.conversation()?.lastMessage == nil, "what is not shown is no last message")
        try store.record(received("new", at: 71))
        #expect(try store.texts() == ["new"])
        #expect(try store.conversation()?.lastMessage?.text == "new")
    }

    @Test("d21: clearing up to a place keeps what is newer")
    func clearingUpToPlace() throws {
        try store.record(received("a", at: 1), received("b", at: 2), received("c", at: 3))
        try store.record(cleared(order(2, "b")))
        #expect(try store.texts() == ["c"])
        #expect(try store.unread().messages == 1)
        #expect(try store.conversation()?.lastMessage?.text == "c")
        try store.record(cleared(order(1)))
        #expect(try store.texts() == ["c"], "an older mark brings nothing back")
    }

    @Test("d21: what was cleared is found under no name, and what is newer or waits for the server still is")
    func clearedLookups() throws {
        try store.record(received("a", at: 1), received("b", at: 2), received("c", at: 3))
        let own = try store.local(queued("mine", token: "t1"))
        try store.record(sent(own, "d", at: 4))
        let waiting = try store.local(queued("later", token: "t2"))
        try store.record(cleared(order(2, "b")))
        #expect(try store.message("a") == nil && store.message("b") == nil)
        #expect(try store.message(LocalMessageID(1)) == nil && store.message(LocalMessageID(2)) == nil)
        #expect(try store.message("c")?.id == LocalMessageID(3))
        try store.record(cleared())
        for id in [LocalMessageID(3), own] { #expect(try store.message(id) == nil, "\(id)") }
        #expect(try store.message("d") == nil)
        #expect(try store.read { try $0.message(token: "t1", of: "me") } == nil)
        #expect(try store.read { try $0.message(token: "t2", of: "me") }?.id == waiting)
        #expect(try store.outbox() == [waiting])
    }

    @Test("d21: clearing leaves what waits for the server")
    func clearingAndUnsent() throws {
        try store.record(received("a", at: 1))
        let local = try store.local(queued("mine"))
        try store.record(cleared())
        #expect(try store.texts() == ["mine"])
        #expect(try store.outbox() == [local])
        #expect(try store.conversation()?.lastMessage?.id == local)
    }
}
