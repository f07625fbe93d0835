import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d6, d8: totals over conversations", .store)
struct UnreadTotalTests {
    private let keys = [
        group, peer, ConversationKey(.chatRoom, "r"), ConversationKey(.system, "s"), .group("other"),
        ConversationKey(ConversationKind(rawValue: 20), "h"),
    ]

    private func fill(_ store: MessageStore) throws {
        for (index, key) in keys.enumerated() {
            for number in 0...index {
                try store.record(received(ServerMessageID("m\(number)"), at: Int64(number + 1), in: key))
            }
        }
    }

    @Test("I5: totals equal the sum over conversations; chat rooms are left out (d6)")
    func sums() throws {
        try withTemporaryStore { store throws in
            try fill(store)
            try store.record(muted(in: .group("other")), read(order(1), in: peer), markedUnread(in: group))
            let countable = keys.filter { $0.kind != .chatRoom }
            let sum = try countable.reduce(0) { $0 + (try store.unread($1).messages) }
            #expect(try store.totals(includesMuted: true).messages == sum)
            #expect(try store.totals().messages == sum - 5)
            #expect(try store.totals(includesMuted: true).conversations == 5)
            #expect(try store.unread(ConversationKey(.chatRoom, "r")).messages == 3)
        }
    }

    @Test(
        "E31: per kind",
        arguments: [
            ([.group], 6), ([.single], 2), ([.system], 4), ([.chatRoom], 0), ([.single, .system, .chatRoom], 6),
            ([ConversationKind(rawValue: 20)], 6), ([], 0),
        ] as [(Set<ConversationKind>, Int)])
    func kinds(kinds: Set<ConversationKind>, count: Int) throws {
        try fill(store)
        #expect(try store.totals(kinds: kinds, includesMuted: true).messages == count)
    }

    @Test("d6: muting takes a conversation out of the total and back, with its count")
    func muting() throws {
        try store.record(received("a", at: 1), received("b", at: 2, in: peer))
        try store.record(muted())
        #expect(try store.totals().messages == 1)
        #expect(try store.totals(includesMuted: true).messages == 2)
        try store.record(received("c", at: 3), muted())
        #expect(try store.totals().messages == 1)
        #expect(try store.unread().messages == 2)
        try store.record(muted(false))
        #expect(try store.totals().messages == 3)
    }

    @Test("A12, d8: the mark of unread is next to the count, shows as one in the badge, and ends by reading")
    func marks() throws {
        try withTemporaryStore { store throws in
            try store.record(created("G"), markedUnread(), markedUnread())
            #expect(try store.unread().messages == 0)
            #expect(try store.unread().isMarkedUnread)
            #expect(try store.totals().messages == 0)
            #expect(try store.totals().badge == 1)
            #expect(try store.totals().conversations == 1)
            try store.record(received("a", at: 1))
            #expect(try store.totals().badge == 1, "a count takes the place of the mark")
            #expect(try store.totals().conversations == 1)
            try store.record(read())
            #expect(try store.unread() == UnreadCount(readUpTo: order(1, "a")))
            #expect(try store.totals().badge == 0)
            try store.record(markedUnread(), markedUnread(false))
            #expect(try store.totals().badge == 0)
        }
    }

    @Test("d8: reading clears the mark also where there is no message")
    func markWithoutMessages() throws {
        try withTemporaryStore { store throws in
            try store.record(markedUnread(), read())
            #expect(try store.unread() == .none)
            #expect(try store.totals().conversations == 0)
        }
    }

    @Test("I3: what came and went leaves the same rows in one package as in many")
    func rowsOfNothing() throws {
        let events = [
            received("a", at: 1), deleted("a"), muted(), received("b", at: 1, in: peer), markedUnread(in: peer),
            markedUnread(false, in: peer), recalled("b", in: peer), muted(false),
        ]
        try withTemporaryStore { store throws in
            for event in events { try store.record(event) }
            #expect(try store.isConsistent())
            let digests = try store.digests()
            try withTemporaryStore { other throws in
                try other.record(events)
                #expect(try other.digests() == digests)
            }
        }
    }

    @Test("a conversation that nobody named has nothing unread")
    func unknownConversation() throws {
        #expect(try store.unread(.group("nobody")) == .none)
        #expect(try store.totals() == store.totals(includesMuted: true))
        #expect(try store.totals().badge == 0)
    }
}
