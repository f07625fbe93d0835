import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d5: the read marker", .store)
struct ReadMarkerTests {
    private let five = (1...5).map { received(ServerMessageID("m\($0)"), at: Int64($0 * 10)) }

    @Test(
        "d5: reading up to a place leaves what is above it",
        arguments: [
            (nil, 0), (order(50, "m5"), 0), (order(50), 0), (order(30, "m3"), 2), (order(30), 2), (order(30, "m"), 3),
            (order(35), 2), (order(0), 5), (order(99), 0),
        ] as [(MessageOrder?, Int)])
    func upTo(place: MessageOrder?, left: Int) throws {
        try store.record(five)
        try store.record(read(place))
        #expect(try store.unread().messages == left)
        #expect(try store.totals().messages == left)
    }

    @Test("an own message of another device reads its conversation where the host says so", arguments: [true, false])
    func ownAnswer(ownMessagesMarkRead: Bool) throws {
        let answer = Event.received(
            "answer", from: "me", in: group, at: ms(35), content: .text("yes"), origin: .offline)
        try withTemporaryStore({ $0.sync.ownMessagesMarkRead = ownMessagesMarkRead }) { store throws in
            try store.record(five + [answer])
            #expect(try store.unread().messages == (ownMessagesMarkRead ? 2 : 5))
            let count = try store.events().count
            try store.record([answer])
            #expect(try store.events().count == count, "an answer that comes again records nothing")
            let past = Event.received(
                "past", from: "me", in: group, at: ms(45), content: .text("old"), origin: .history)
            try store.record([past])
            #expect(try store.unread().messages == (ownMessagesMarkRead ? 2 : 5))
        }
    }

    @Test("d5: an older marker never moves the marker back")
    func olderMarkers() throws {
        try store.record(five)
        try store.record(read(order(40, "m4")), read(order(10, "m1")), read(order(0)))
        #expect(try store.unread().messages == 1)
        #expect(try store.read { try $0.firstUnread(in: group)?.serverID } == "m5")
    }

    @Test(
        "d5, d51: messages that arrive below the marker are read; what this device records at its time after reading is not"
    )
    func lateArrivals() throws {
        try store.record(received("b", at: 20), read(order(20, "b")))
        try store.record(received("a", at: 20), received("x", at: 5))
        #expect(try store.unread().messages == 1)
        try store.record(received("c", at: 20), received("y", at: 21))
        #expect(try store.unread().messages == 3)
    }

    @Test("d5: a marker ahead of everything known covers what comes below it")
    func markerAhead() throws {
        try store.record(read(order(100)))
        try store.record(received("a", at: 99), received("b", at: 100), received("c", at: 101))
        #expect(try store.unread().messages == 1)
    }

    @Test("d5: reading an empty or unknown conversation changes nothing and hides nothing")
    func emptyConversation() throws {
        try store.record(read(), read(in: peer))
        try store.record(received("a", at: 1))
        #expect(try store.unread().messages == 1)
    }

    @Test("I5: unread is the same in whatever order messages and markers come")
    func anyOrder() throws {
        let events = Array(five[...2]) + [read(order(20, "m2")), read(order(10)), deleted("m3"), recalled("m1")]
        for shift in events.indices {
            for part in [
                Array(events[shift...] + events[..<shift]), Array((events[shift...] + events[..<shift]).reversed()),
            ] {
                try withTemporaryStore { store throws in
                    for event in part { try store.record(event) }
                    #expect(try store.unread().messages == 0)
                    #expect(try store.totals().messages == 0)
                }
            }
        }
    }

    @Test("a count tells up to where was read, and what the server reported while that counts")
    func markerAndReport() throws {
        try store.record(five)
        #expect(try store.unread().readUpTo == nil)
        try store.record(read(order(20, "m2")))
        #expect(try store.unread() == UnreadCount(messages: 3, readUpTo: order(20, "m2")))
        let report = UnreadCountReported(9, mentions: 1, upTo: order(40, "m4"), at: ms(60))
        try store.record(Event(report, in: group))
        #expect(
            try store.unread() == UnreadCount(messages: 10, mentions: 1, readUpTo: order(20, "m2"), report: report))
        try store.record(read(order(40)))
        #expect(try store.unread() == UnreadCount(messages: 1, readUpTo: order(40)))
    }
}
