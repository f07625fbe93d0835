import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d30: counts that a server reports", .store)
struct ReportedCountTests {
    private static let past = (1...5).map {
        received(ServerMessageID("m\($0)"), at: Int64($0 * 10), origin: .history)
    }

    @Test("d30: counting never uses the device's clock, be it late or early", arguments: [10, 1_000_000] as [Int64])
    func deviceClock(now: Int64) throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            place.time.set(ms(now))
            try store.record(received("m1", at: 1_000), read())
            try store.record(.unreadCountReported(7, in: group))
            #expect(try store.unread().messages == 7 && store.totals().badge == 7)
            #expect(try store.unread().report == UnreadCountReported(7, upTo: order(1_000, "m1")))
            try store.record(received("m2", at: 2_000))
            #expect(try store.unread().messages == 8)
            try store.record(read())
            #expect(try store.unread() == UnreadCount(readUpTo: order(2_000, "m2")))
            #expect(try store.isConsistent())
        }
    }

    @Test("d30: a number alone includes all that history loads, and other arrivals are counted on top")
    func numberAlone() throws {
        try store.record(.unreadCountReported(7, in: group))
        try store.record(Self.past)
        #expect(try store.unread().messages == 7 && store.unread().report == UnreadCountReported(7))
        try store.record(received("late", at: 5), received("live", at: 60))
        #expect(try store.unread().messages == 9)
        #expect(
            try store.read { try ViewDiagnostics.shownUnread(of: group, in: $0) } == 7,
            "all that the store has are unread")
        try store.record(read(order(20)))
        #expect(try store.unread().messages == 4, "m3, m4, m5 and the live one are above the marker")
        #expect(try store.unread().report == nil)
    }

    @Test("d30: reading all, deleting and reports pass over lines of this device, whose clock may be ahead")
    func lines() throws {
        let line = MessageInsertedLocally(content: .text("line"), sender: "bob", time: ms(5_000))
        try store.record(received("a", at: 1_000), Event(line, in: group), read())
        #expect(try store.unread().readUpTo == order(1_000, "a"))
        try store.record(received("b", at: 2_000))
        #expect(try store.unread().messages == 1)
        try store.record(conversationDeleted(), received("c", at: 3_000))
        #expect(try store.list() == [group] && store.unread().messages == 1)
        try store.record(.unreadCountReported(4, in: group), received("d", at: 4_000))
        #expect(try store.unread().messages == 5)
        try store.record(cleared())
        #expect(try store.texts() == [], "what is cleared are the lines, too")
    }

    /// What ends a number that was reported alone, where the newest message is at 100.
    enum Ending: CaseIterable {
        case all, place, above, deletion, clearing

        var event: Event {
            switch self {
            case .all: read()
            case .place: read(order(100, "a"))
            case .above: read(order(101))
            case .deletion: conversationDeleted()
            case .clearing: cleared()
            }
        }
    }

    @Test("d30: reading all, or up to its place, ends a number alone; less leaves it", arguments: Ending.allCases)
    func endings(_ ending: Ending) throws {
        try store.record(received("a", at: 100), read())
        try store.record(.unreadCountReported(3, mentions: 1, in: group))
        #expect(try store.unread().messages == 3 && store.unread().mentions == 1)
        try store.record(read(order(50)))
        #expect(try store.unread().messages == 3, "less was read than the store knew")
        try store.record(ending.event)
        #expect(try store.unread().messages == 0 && store.unread().report == nil && store.totals().badge == 0)
        try store.record(received("b", at: 200))
        #expect(try store.unread().messages == 1)
    }

    @Test("d30: a number alone counts from the read marker where that is the newest place that is known")
    func markerAhead() throws {
        try store.record(received("a", at: 10), read(order(100)), .unreadCountReported(3, in: group))
        try store.record(received("b", at: 60), read(order(70)))
        #expect(try store.unread().messages == 3, "what is at or below the marker is read, whenever it comes")
        try store.record(read(order(100)))
        #expect(try store.unread().messages == 0)
    }

    @Test("d30: a number with the server's time stands up to the newer of that time and the newest message")
    func timed() throws {
        try store.record(received("m1", at: 1_000), .unreadCountReported(5, in: group, at: ms(500)))
        #expect(try store.unread().report == UnreadCountReported(5, upTo: order(1_000, "m1"), at: ms(500)))
        try store.record(.unreadCountReported(6, in: group, at: ms(3_000)), received("m2", at: 2_500))
        #expect(try store.unread().messages == 6)
        #expect(try store.unread().report == UnreadCountReported(6, upTo: order(3_000), at: ms(3_000)))
        try store.record(received("m3", at: 3_500))
        #expect(try store.unread().messages == 7)
    }

    @Test("d30: of two reports the one of the later server time holds, else the later in the log")
    func twoReports() throws {
        func count(_ event: Event) throws -> Int {
            try store.record(event)
            return try store.unread().messages
        }
        let later = try count(.unreadCountReported(9, upTo: order(30, "b"), in: group, at: ms(40)))
        let earlier = try count(.unreadCountReported(2, upTo: order(10, "a"), in: group, at: ms(20)))
        #expect(later == 9 && earlier == 9)
        let alone = try count(.unreadCountReported(4, in: group))
        let placed = try count(.unreadCountReported(3, upTo: order(35, "c"), in: group))
        let old = try count(.unreadCountReported(2, upTo: order(10, "a"), in: group, at: ms(20)))
        #expect(alone == 4 && placed == 3 && old == 2)
    }

    @Test("d20: a repeated report of a place that was known leaves a deleted conversation deleted")
    func repeatedReport() throws {
        let report = Event.unreadCountReported(3, upTo: order(100, "m9"), in: group, at: ms(101))
        try store.record(report, conversationDeleted())
        #expect(try store.list().isEmpty)
        try store.record(report, received("m5", at: 50, origin: .history))
        try store.record(.unreadCountReported(3, upTo: order(100, "m9"), in: group))
        #expect(try store.list().isEmpty && store.totals().badge == 0)
        try store.record(.unreadCountReported(1, upTo: order(110, "n"), in: group, at: ms(111)))
        #expect(try store.list() == [group] && store.totals().badge == 1)
        // The highest place counts, whichever report holds.
        try store.record(.unreadCountReported(2, upTo: order(90, "m8"), in: group, at: ms(120)))
        try store.record(conversationDeleted(), .unreadCountReported(1, upTo: order(110, "n"), in: group))
        #expect(try store.list().isEmpty && store.totals().badge == 0)
        try store.record(.unreadCountReported(0, in: group))
        #expect(try store.list().isEmpty)
        try store.record(.unreadCountReported(4, in: group))
        #expect(try store.list() == [group] && store.totals().badge == 4, "a number alone speaks of its moment")
    }
}
