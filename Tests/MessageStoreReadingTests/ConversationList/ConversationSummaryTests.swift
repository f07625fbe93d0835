import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("X5: what a server's list tells of conversations", .store)
struct ConversationSummaryTests {
    private static func told(
        _ summary: ConversationSummaryReceived, in conversation: ConversationKey = group, at time: Timestamp? = nil
    ) -> Event {
        Event(summary, in: conversation, origin: .live, serverTime: time)
    }

    @Test("X5: every part does what its own event does")
    func parts() throws {
        var answers: [Conversation] = []
        let upTo = order(30, "m3")
        let summary = ConversationSummaryReceived(
            unread: .init(4, mentions: 2, upTo: upTo), isPinned: true, isMuted: true, isMarkedUnread: true)
        for events in [
            [Self.told(summary, at: ms(40))],
            [
                .unreadCountReported(4, mentions: 2, upTo: upTo, in: group, at: ms(40)), pinned(), muted(),
                markedUnread(),
            ],
        ] {
            try withTemporaryStore { store throws in
                try store.record(received("m1", at: 10))
                try store.record(events)
                answers.append(try #require(try store.conversation()))
                #expect(try store.totals(includesMuted: true).messages == 4 && store.totals().badge == 0)
                let off = ConversationSummaryReceived(isPinned: false, isMuted: false, isMarkedUnread: false)
                try store.record(Self.told(off))
                let conversation = try #require(try store.conversation())
                #expect(!conversation.isPinned && !conversation.isMuted && !conversation.unread.isMarkedUnread)
                #expect(try store.totals().badge == 4 && store.isConsistent())
            }
        }
        #expect(answers[0] == answers[1] && answers[0].isPinned && answers[0].unread.mentions == 2)
    }

    @Test("X5: activity lists a conversation and moves it up, never down")
    func activity() throws {
        try store.record(received("m", at: 50, in: peer), Self.told(.init(activity: ms(40))))
        #expect(try store.list() == [peer, group] && store.conversation()?.activity == ms(40))
        try store.record(Self.told(.init(activity: ms(60))), Self.told(.init(activity: ms(20))))
        #expect(try store.list() == [group, peer] && store.conversation()?.activity == ms(60))
        #expect(try store.unread() == .none && store.texts().isEmpty)
    }

    @Test("X5, d20: only activity that is later than what was hidden brings a deleted conversation back")
    func revival() throws {
        try store.record(Self.told(.init(activity: ms(100))), conversationDeleted())
        try store.record(Self.told(.init(activity: ms(100))), Self.told(.init(activity: ms(90), isPinned: true)))
        #expect(try store.list().isEmpty, "the server's list says the same as before")
        try store.record(Self.told(.init(activity: ms(101))))
        #expect(try store.list() == [group])
        try store.record(received("m", at: 200), conversationDeleted())
        try store.record(Self.told(.init(activity: ms(200))))
        #expect(try store.list().isEmpty, "the last activity is the message that was hidden")
        try store.record(Self.told(.init(activity: ms(201))))
        #expect(try store.list() == [group] && store.totals().badge == 0)
    }

    @Test("X5: the read marker moves up, never down, and leaves the mark; the count applies above it")
    func marker() throws {
        try store.record(
            received("m1", at: 10), received("m2", at: 20), received("m3", at: 30), markedUnread())
        try store.record(Self.told(.init(readUpTo: order(20, "m2"))), Self.told(.init(readUpTo: order(10))))
        #expect(try store.unread() == UnreadCount(messages: 1, isMarkedUnread: true, readUpTo: order(20, "m2")))
        try store.record(Self.told(.init(unread: .init(5), readUpTo: order(30, "m3"))))
        #expect(try store.unread().messages == 5, "the marker comes first, so the number alone is in force")
        try store.record(Self.told(.init(readUpTo: order(30, "m3"))))
        #expect(try store.unread().messages == 5, "a marker that is told again tells nothing of the number")
        try store.record(read())
        #expect(try store.unread().messages == 0)
    }

    @Test("X5: a summary that tells nothing changes nothing, and one with more mentions than messages is refused")
    func emptyAndWrong() throws {
        try store.record(Self.told(.init()), Self.told(.init(readUpTo: order(5), isMarkedUnread: false)))
        #expect(try store.list().isEmpty && store.conversation() == nil)
        expectError(.invalidArgument) { try store.record(Self.told(.init(unread: .init(1, mentions: 2)))) }
    }
}
